#!/usr/bin/env node
/**
 * Finds the Node.js that this service runs on, and starts the command on it. Any Node.js from 14 on can read this file:
 * it has to say clearly what is missing, or to hand over to the Node.js that the package brought along.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, extname, join, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const isInstalled = root.split(sep).includes('node_modules')
const source = join(root, 'cli', 'service.ts')
const built = join(root, 'dist', 'cli', 'service.js')
// Node.js does not strip types below node_modules.
const command = isInstalled || !existsSync(source) ? built : source
const compileCache = join(dirname(dirname(command)), 'runtime', `compile-cache${extname(command)}`)

const exitConfiguration = 78
const handedOver = 'SERVICE_NODE_HANDED_OVER'

/** A package in the node_modules of this folder or of one above it. */
function packageFolder(name) {
  for (let folder = root; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name)
    if (existsSync(found)) return found
    if (folder === dirname(folder)) return undefined
  }
}

/** 22.12 or later of the 22 line; another line only if the HTTP library has a binary for it. */
function isSuitable() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major === 22) return minor >= 12
  if (major < 22) return false
  const library = packageFolder('uWebSockets.js')
  if (!library) return false
  const binary = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`
  return [join(library, binary), join(library, 'dist', 'bin', binary)].some((path) => existsSync(path))
}

/** Node.js 22.12 to 22.17 strips types only when told to. */
function needsStripFlag() {
  return command === source && !process.features.typescript
}

function pinnedNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const folder = packageFolder(`node-${platform}-${process.arch}`)
  if (!folder) return undefined
  const node = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  return existsSync(node) ? node : undefined
}

/** Runs the command on `node` instead, as if it were this process: signals pass through, the exit code comes back. */
function handOver(node, flags) {
  const child = spawn(node, [...flags, fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    // The channel tells the child when this process is gone.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [handedOver]: '1' },
  })
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => refuse(`${node} could not be run: ${error.message}`))
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code))
}

function refuse(message) {
  process.stderr.write(`${message}\n`)
  process.exit(exitConfiguration)
}

const wasHandedOver = process.env[handedOver] === '1'
delete process.env[handedOver]
if (!isSuitable()) {
  const pinned = wasHandedOver ? undefined : pinnedNode()
  if (pinned) handOver(pinned, [])
  else {
    refuse(
      `This service needs Node.js 22.12 or later of the 22 line and this is ${process.version}: install it from nodejs.org.`,
    )
  }
} else if (needsStripFlag()) {
  handOver(process.execPath, ['--experimental-strip-types', '--disable-warning=ExperimentalWarning'])
} else if (!existsSync(command)) {
  refuse(`${command} is missing: run "npm run build" first.`)
} else {
  const { keepCompiledCode } = await import(pathToFileURL(compileCache).href)
  keepCompiledCode()
  await import(pathToFileURL(command).href)
}
