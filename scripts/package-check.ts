/**
 * Proves the package: packs it, installs the tarball in an empty folder, starts it from there on a database of its own,
 * gets an answer, streamed and not, and stops it. Needs a registry, or a warm npm cache.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const readyWithinMs = 120_000
const stopWithinMs = 60_000

function npm(folder: string, ...args: string[]): void {
  execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, stdio: 'inherit' })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

function check(isRight: boolean, what: string): void {
  if (!isRight) throw new Error(`not so: ${what}`)
  console.log(`package: ${what}`)
}

async function untilReady(base: string, service: ChildProcess): Promise<void> {
  const untilMs = Date.now() + readyWithinMs
  while (Date.now() < untilMs && service.exitCode === null && service.signalCode === null) {
    const status = await fetch(`${base}/readyz`).then(
      (response) => response.status,
      () => 0,
    )
    if (status === 200) return
    await wait(100)
  }
  throw new Error(`the service was not ready (exit code ${service.exitCode})`)
}

async function ask(base: string, key: string, isStream: boolean): Promise<string> {
  const response = await fetch(`${base}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo', stream: isStream, messages: [{ role: 'user', content: 'Hello!' }] }),
  })
  const body = await response.text()
  if (response.status !== 200) throw new Error(`status ${response.status}: ${body.slice(0, 500)}`)
  return body
}

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'service-package-')))
// Started as root, the built-in database runs as a user without rights, who has to get through here.
chmodSync(folder, 0o755)
const said: string[] = []
let service: ChildProcess | undefined
try {
  npm(root, 'pack', '--pack-destination', folder)
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  if (!tarball) throw new Error('npm pack made no tarball')
  const home = join(folder, 'home')
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), '{ "private": true }\n')
  npm(home, 'install', '--prefer-offline', join(folder, tarball))

  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const key = `sk-${randomBytes(32).toString('base64url')}`
  service = spawn(join(home, 'node_modules', '.bin', 'service'), ['start'], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      SERVICE_DATA_DIR: join(folder, 'data'),
      SERVICE_GATEWAY_ADDR: `127.0.0.1:${port}`,
      SERVICE_WEBUI_ADDR: '127.0.0.1:0',
      SERVICE_BOOTSTRAP_KEY: key,
    },
  })
  for (const stream of [service.stdout, service.stderr]) stream?.on('data', (chunk) => said.push(String(chunk)))
  await untilReady(base, service)
  check(true, 'installed from the tarball, it starts and is ready')
  check((await ask(base, key, false)).includes('"chat.completion"'), 'a chat completion answers')
  check((await ask(base, key, true)).trimEnd().endsWith('data: [DONE]'), 'a streamed one ends with [DONE]')

  const ended = once(service, 'exit')
  service.kill('SIGTERM')
  const stopped = await Promise.race([ended, wait(stopWithinMs, undefined, { ref: false })])
  check(stopped?.[0] === 0, 'SIGTERM ends it with exit code 0')
} catch (error) {
  console.error(said.join(''))
  console.error(error)
  process.exitCode = 1
} finally {
  service?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
