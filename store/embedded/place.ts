/** Decides in which folder the cluster lives: below the data folder, or, for root, where its user can reach it. */
import { mkdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Log } from '../../runtime/log/log.ts'
import { layoutBelow, shortHash } from './layout.ts'
import { EmbeddedRefused } from './refused.ts'
import { closedFolder, type ServerUser, serverUser } from './server-user.ts'

/** What root keeps for the service outside its data folder. */
export const stateFolder = '/var/lib/agent-platform-service'

export interface DataFolder {
  dataDir: string
  /** An operator named the folder, so no other will do. */
  isDataDirGiven: boolean
  /** Instead of `stateFolder`, for tests. */
  stateDir?: string
}

export interface Place {
  root: string
  user: ServerUser | null
}

/** Where a cluster of this data folder can be. */
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
  // Others may pass through to what they own; they cannot list it, and each file in it has a mode of its own.
  await mkdir(dataDir, { recursive: true, mode: user ? 0o711 : 0o700 })
  if (!user) return { root: own, user }
  const closed = await closedFolder(user, dataDir)
  if (closed === undefined && (hasOwn || !hasFallback)) return { root: own, user }
  if (closed !== undefined && (folder.isDataDirGiven || hasOwn)) {
    throw new EmbeddedRefused(
      `PostgreSQL runs as ${user.name}, who cannot enter ${closed}: run "chmod o+x ${closed}", ` +
        'set SERVICE_DATA_DIR to a folder that others may pass through, or set SERVICE_DATABASE_URL',
    )
  }
  await mkdir(join(fallback, '..'), { recursive: true, mode: 0o755 })
  const why = closed === undefined ? 'it was made there earlier' : `${user.name} cannot enter ${closed}`
  log.info({ folder: fallback }, `the database lives in ${fallback} instead of ${own}: ${why}`)
  return { root: fallback, user }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}
