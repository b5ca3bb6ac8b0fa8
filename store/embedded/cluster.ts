/** The database cluster: created once by initdb, atomically, and configured at every start. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, chown, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Binaries } from './binaries.ts'
import { configurationText } from './configuration.ts'
import type { Layout } from './layout.ts'
import { EmbeddedRefused } from './refused.ts'
import type { ServerUser } from './server-user.ts'

export const ownerName = 'service'
export const databaseName = 'service'

/** Creates the cluster if there is none. @returns the owner's password */
export async function prepareCluster(layout: Layout, binaries: Binaries, user: ServerUser | null): Promise<string> {
  const exists = (await stat(layout.cluster).catch(() => undefined)) !== undefined
  const password = exists ? await readPassword(layout) : await newPassword(layout, user)
  if (!exists) await initialise(layout, binaries, user)
  await configure(layout, user)
  return password
}

export async function readPassword(layout: Layout): Promise<string> {
  const text = await readFile(layout.password, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new EmbeddedRefused(
      `the password of the built-in database cannot be read (${layout.password}, ${cause.code}): restore that file`,
      { cause },
    )
  })
  return text.trim()
}

async function newPassword(layout: Layout, user: ServerUser | null): Promise<string> {
  const password = randomBytes(24).toString('base64url')
  const draft = `${layout.password}.new`
  await writeFile(draft, password, { mode: 0o600, flush: true })
  await chmod(draft, 0o600)
  if (user) await chown(draft, user.uid, user.gid) // initdb reads it
  await rename(draft, layout.password)
  return password
}

async function initialise(layout: Layout, binaries: Binaries, user: ServerUser | null): Promise<void> {
  const draft = `${layout.cluster}.new`
  await rm(draft, { recursive: true, force: true }) // of a start that was interrupted
  const args = [
    ...['-D', draft, '-U', ownerName, '--pwfile', layout.password],
    ...['--auth-local=scram-sha-256', '--auth-host=scram-sha-256'],
    ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    '--data-checksums',
  ]
  try {
    await promisify(execFile)(binaries.initdb, args, {
      cwd: '/',
      env: serverEnvironment,
      ...(user && { uid: user.uid, gid: user.gid }),
    })
  } catch (cause) {
    const output = String((cause as { stderr?: unknown }).stderr ?? '').trim()
    throw new EmbeddedRefused(
      `the built-in database could not be created in ${layout.cluster}: ${output.slice(-500)}`,
      {
        cause,
      },
    )
  }
  await rename(draft, layout.cluster)
}

/** Without our own environment: PG… variables and locales would change what the programs do. */
export const serverEnvironment = { LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin' }

async function configure(layout: Layout, user: ServerUser | null): Promise<void> {
  const operatorFile = join(layout.root, 'operator.conf')
  const hasOperatorFile = (await stat(operatorFile).catch(() => undefined)) !== undefined
  const file = join(layout.cluster, 'postgresql.conf')
  const draft = `${file}.new`
  await writeFile(draft, configurationText(hasOperatorFile ? operatorFile : null), { mode: 0o600 })
  if (user) await chown(draft, user.uid, user.gid)
  await rename(draft, file)
}
