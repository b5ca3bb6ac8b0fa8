/** Finds the built-in database that a running service has started, so that a command can connect to it. */
import type { DatabaseAddress } from '../postgres/address.ts'
import { databaseName, ownerName, readPassword } from './cluster.ts'
import { isHolderAlive, readHolder } from './folder-lock.ts'
import { layoutBelow, socketPort } from './layout.ts'
import { type DataFolder, possibleRoots } from './place.ts'
import { readPostmasterFile } from './postmaster-file.ts'
import { isAlive } from './process-facts.ts'

export interface RunningEmbedded {
  address: DatabaseAddress
  /** The process of the service that runs it. */
  holderPid: number
}

/** Null while no service runs the database of this data folder. */
export async function findEmbedded(folder: DataFolder): Promise<RunningEmbedded | null> {
  for (const root of Object.values(possibleRoots(folder))) {
    const layout = layoutBelow(root)
    const holder = await readHolder(layout.lock)
    if (!holder || !(await isHolderAlive(holder, layout.lock))) continue
    const postmaster = await readPostmasterFile(layout.cluster)
    if (!postmaster?.isReady || !(await isAlive(postmaster.pid))) continue
    const password = await readPassword(layout)
    return {
      address: { host: postmaster.socketFolder, port: socketPort, database: databaseName, user: ownerName, password },
      holderPid: holder.pid,
    }
  }
  return null
}
