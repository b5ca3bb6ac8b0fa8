/** The user that PostgreSQL runs as. It refuses root, so root starts it as an unprivileged user. */
import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { EmbeddedRefused } from './refused.ts'

export interface ServerUser {
  name: string
  uid: number
  gid: number
}

/** The first of these that exists. */
const names = ['postgres', 'nobody']

/**
 * @param cluster one that exists stays with the user who owns it
 * @returns null where the server runs as our own user
 * @throws EmbeddedRefused
 */
export async function serverUser(cluster: string): Promise<ServerUser | null> {
  if (process.getuid?.() !== 0) return null
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const userOf = ([name = '', , uid, gid]: string[]) => ({ name, uid: Number(uid), gid: Number(gid) })
  const owner = (await stat(cluster).catch(() => undefined))?.uid
  if (owner !== undefined && owner !== 0) {
    const found = users.find((fields) => Number(fields[2]) === owner)
    if (found) return userOf(found)
    throw new EmbeddedRefused(
      `${cluster} belongs to uid ${owner}, which has no name in /etc/passwd: add that user, or give the folder to another`,
    )
  }
  for (const name of names) {
    const found = users.find((fields) => fields[0] === name)
    if (found) return userOf(found)
  }
  throw new EmbeddedRefused(
    'PostgreSQL does not run as root, and there is no user postgres or nobody to run it as: ' +
      'start the service as an ordinary user, or set SERVICE_DATABASE_URL',
  )
}

/** Whether `user` can enter a folder or run a file. The system decides, as there is more than mode bits. */
export async function canReach(user: ServerUser, path: string): Promise<boolean> {
  try {
    await promisify(execFile)('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], {
      uid: user.uid,
      gid: user.gid,
      cwd: '/',
      env: {},
    })
    return true
  } catch (error) {
    if ((error as { code?: unknown }).code === 1) return false
    throw new EmbeddedRefused(`cannot run PostgreSQL as ${user.name}: set SERVICE_DATABASE_URL instead`, {
      cause: error,
    })
  }
}

/** The outermost folder above `path`, or `path` itself, that `user` cannot enter. */
export async function closedFolder(user: ServerUser, path: string): Promise<string | undefined> {
  // Who enters it has passed through all above: one process says so, at each start.
  if (await canReach(user, path)) return undefined
  const above = dirname(path)
  return (above === path ? undefined : await closedFolder(user, above)) ?? path
}
