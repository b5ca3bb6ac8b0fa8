/**
 * What Node.js compiles at a start is kept for the next: a start of the gateway takes a tenth to a quarter less processor time.
 * Loaded first and with nothing of ours, since only what is loaded afterwards is kept.
 */
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import module from 'node:module'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folders of other installations and of earlier Node.js versions, some 8 MB each. */
const installationsMax = 8

/**
 * Where there is no folder that nobody else can write to, nothing is kept: what is in it is run. NODE_COMPILE_CACHE and
 * NODE_DISABLE_COMPILE_CACHE are for Node.js itself and win.
 * @returns the folder; undefined where nothing is kept
 */
export function keepCompiledCode(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const folder = ownFolder(environment)
  if (folder === undefined) return undefined
  return module.enableCompileCache(folder).directory
}

/** Otherwise it is written at an orderly end only, which a process that is killed does not have. */
export function writeCompiledCode(): void {
  module.flushCompileCache()
}

function ownFolder(environment: NodeJS.ProcessEnv): string | undefined {
  const configured = environment['XDG_CACHE_HOME'] ?? ''
  if (environment['NODE_COMPILE_CACHE'] || environment['NODE_DISABLE_COMPILE_CACHE']) return undefined
  try {
    const caches = isAbsolute(configured) ? configured : join(homedir(), '.cache')
    const all = join(caches, 'agent-platform-service')
    make(caches)
    make(all)
    if (!isOwn(all)) return undefined
    const folder = join(all, installation())
    // The first start of an installation makes room for it.
    if (make(folder)) removeOldest(all)
    return isOwn(folder) ? folder : undefined
  } catch {
    return undefined // a user without a home, or a file system that cannot be written
  }
}

/** @returns whether it was not there. Not recursive: a home that does not exist is not made. */
function make(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** The entries are by path and replaced when a file changes, so the size of a folder has a bound. */
function installation(): string {
  const root = dirname(dirname(fileURLToPath(import.meta.url)))
  return createHash('sha256').update(`${root}\0${process.version}`).digest('hex').slice(0, 16)
}

function isOwn(folder: string): boolean {
  const found = lstatSync(folder)
  if (!found.isDirectory()) return false
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0)
}

function removeOldest(all: string): void {
  const byAge = readdirSync(all)
    .map((name) => ({ path: join(all, name), madeMs: statSync(join(all, name)).mtimeMs }))
    .sort((one, other) => other.madeMs - one.madeMs)
  for (const { path } of byAge.slice(installationsMax)) rmSync(path, { recursive: true, force: true })
}
