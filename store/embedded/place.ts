/** Decides where the cluster is: below the data folder, or, for root, where the server's user can reach it. */
import { chmod, chown, mkdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Log } from '../../runtime/log/log.ts'
import { layoutBelow, shortHash } from './layout.ts'
import { EmbeddedRefused } from './refused.ts'
import { closedFolder, type ServerUser, serverUser } from './server-user.ts'

/** Where root stores what cannot be in the data folder. */
export const stateFolder = '/var/lib/agent-platform-service'

export interface DataFolder {
  dataDir: string
  /** An operator named the folder, so there is no fallback to another. */
  isDataDirExplicit: boolean
  /** In place of `stateFolder`, for tests. */
  stateDir?: string
}

export interface Place {
  root: string
  user: ServerUser | null
}

/** The folders in which a cluster of this data folder can be. */
export function possibleRoots({ dataDir, stateDir = stateFolder }: DataFolder): { own: string; fallback: string } {
  const folder = resolve(dataDir)
  return { own: join(folder, 'postgres'), fallback: join(stateDir, `data-${shortHash(folder)}`, 'postgres') }
}

/** @throws EmbeddedRefused */
export async function choosePlace(folder: DataFolder, log: Log): Promise<Place> {
  const { own, fallback } = possibleRoots(folder)
  const dataDir = resolve(folder.dataDir)
  const [hasOwn, hasFallback] = await Promise.all([
    exists(layoutBelow(own).cluster),
    exists(layoutBelow(fallback).cluster),
  ])
  const user = await serverUser(layoutBelow(hasOwn || !hasFallback ? own : fallback).cluster)
  const made = await mkdir(dataDir, { recursive: true, mode: user ? 0o711 : 0o700 })
  if (!user) return { root: own, user }
  if (made !== undefined || (hasOwn && (await isPassedByAll(dataDir)))) await letPass(user, dataDir)
  const closed = await closedFolder(user, dataDir)
  if (closed === undefined && (hasOwn || !hasFallback)) return { root: own, user }
  if (closed !== undefined && (folder.isDataDirExplicit || hasOwn)) {
    throw new EmbeddedRefused(
      `PostgreSQL runs as ${user.name}, who cannot enter ${closed}: run "chmod o+x ${closed}", ` +
        'set SERVICE_DATA_DIR to a folder that others may pass through, or set SERVICE_DATABASE_URL',
    )
  }
  await mkdir(join(fallback, '..'), { recursive: true, mode: 0o755 })
  const why = closed === undefined ? 'it was created there earlier' : `${user.name} cannot enter ${closed}`
  log.info({ folder: fallback }, `the database is in ${fallback} instead of ${own}: ${why}`)
  return { root: fallback, user }
}

/** As earlier versions made it. Another mode was chosen by an operator and stays. */
async function isPassedByAll(folder: string): Promise<boolean> {
  const { mode, uid, gid } = await stat(folder)
  return (mode & 0o777) === 0o711 && uid === 0 && gid === process.getgid?.()
}

/** The server's user passes through it to the cluster, but cannot list it. Nobody else passes. */
async function letPass(user: ServerUser, folder: string): Promise<void> {
  await chown(folder, 0, user.gid)
  await chmod(folder, 0o710)
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}
