/** Finds a built-in database that somebody else runs, so that a command can talk to it. */
import type { DatabaseAddress } from '../postgres/address.ts'
import { databaseName, knownPassword, ownerName } from './cluster.ts'
import { lives, readHolder } from './folder-lock.ts'
import { layoutBelow, socketPort } from './layout.ts'
import { type DataFolder, possibleRoots } from './place.ts'
import { readPostmasterFile } from './postmaster-file.ts'
import { isAlive } from './process-facts.ts'

export interface RunningEmbedded {
  address: DatabaseAddress
  /** The process of the service that runs it. */
  holderPid: number
}

/** Null when nobody runs the database of this data folder now. */
export async function findEmbedded(folder: DataFolder): Promise<RunningEmbedded | null> {
  for (const root of Object.values(possibleRoots(folder))) {
    const layout = layoutBelow(root)
    const holder = await readHolder(layout.lock)
    if (!holder || !(await lives(holder, layout.lock))) continue
    const postmaster = await readPostmasterFile(layout.cluster)
    if (!postmaster?.isReady || !(await isAlive(postmaster.pid))) continue
    const password = await knownPassword(layout)
    return {
      address: { host: postmaster.socketFolder, port: socketPort, database: databaseName, user: ownerName, password },
      holderPid: holder.pid,
    }
  }
  return null
}
