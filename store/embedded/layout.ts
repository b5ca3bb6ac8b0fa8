/** Paths of the built-in database, all below one folder. */
import { createHash } from 'node:crypto'
import { chmod, chown, lstat, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EmbeddedRefused } from './refused.ts'
import type { ServerUser } from './server-user.ts'

export interface Layout {
  /** <data folder>/postgres, or its fallback: see place.ts. */
  root: string
  cluster: string
  password: string
  lock: string
}

export function layoutBelow(root: string): Layout {
  return { root, cluster: join(root, 'cluster'), password: join(root, 'password'), lock: join(root, 'lock') }
}

export const socketPort = 5432

/** A socket's path must fit into 108 bytes of `sockaddr_un`, 104 on macOS, with its closing NUL. */
const socketPathBytesMax = 103

/** The folder of the socket: below `root`, or in the temp folder where that path would be too long. */
export function runFolder(root: string): string {
  const near = join(root, 'run')
  if (Buffer.byteLength(join(near, `.s.PGSQL.${socketPort}`)) <= socketPathBytesMax) return near
  return join(tmpdir(), `service-${shortHash(root)}`)
}

export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/**
 * Creates a folder that only the server's user may enter; an existing one gets the same owner and mode.
 * @throws EmbeddedRefused when it belongs to somebody else: in a temp folder anybody may have created it
 */
export async function makePrivateFolder(folder: string, user: ServerUser | null): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const found = await lstat(folder)
  const ownUid = process.getuid?.() ?? found.uid
  const serverUid = user?.uid ?? ownUid
  if (!found.isDirectory() || (found.uid !== serverUid && found.uid !== ownUid)) {
    throw new EmbeddedRefused(`${folder} belongs to another user (uid ${found.uid}): remove it or change its owner`)
  }
  if (user && found.uid !== user.uid) await chown(folder, user.uid, user.gid)
  if ((found.mode & 0o777) !== 0o700) await chmod(folder, 0o700)
}
