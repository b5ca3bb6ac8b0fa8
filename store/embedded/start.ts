/** The built-in database: created if needed, started, restarted when it dies, stopped with us. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../../runtime/log/log.ts'
import { systemRandom } from '../../runtime/random.ts'
import { exponential } from '../../runtime/time/backoff.ts'
import type { DatabaseAddress } from '../postgres/address.ts'
import { openPool } from '../postgres/pool.ts'
import { findBinaries } from './binaries.ts'
import { databaseName, ownerName, prepareCluster } from './cluster.ts'
import { type FolderLock, type Holder, lockFolder } from './folder-lock.ts'
import { type Layout, layoutBelow, makePrivateFolder, runFolder, socketPort } from './layout.ts'
import { endLeftovers } from './leftovers.ts'
import { choosePlace, type DataFolder, stateFolder } from './place.ts'
import { EmbeddedRefused } from './refused.ts'
import { type Ending, runServer, type ServerProcess } from './server-process.ts'

export interface EmbeddedServer {
  readonly address: DatabaseAddress
  /** Of the present run. */
  readonly pid: number
  /** Calls back when the server has ended by itself; it is restarted. */
  onExit(fire: (ending: Ending) => void): void
  stop(): Promise<void>
}

const restartBackoff = exponential(100, 5_000)

/** After a run of this length the count of failures begins at zero: the next restart is immediate. */
const stableMs = 30_000

interface StartOptions {
  purpose?: Holder['purpose']
  log: Log
  /** The server's process is there and gets ready by itself. Called again at each of its restarts. */
  onSpawned?: (() => void) | undefined
}

/**
 * Resolves when the database takes connections.
 * @throws DataFolderInUse, EmbeddedRefused
 */
export async function startEmbedded(options: DataFolder & StartOptions): Promise<EmbeddedServer> {
  const { log, purpose = 'gateway', stateDir = stateFolder, onSpawned } = options
  const { root, user } = await choosePlace(options, log)
  const layout = layoutBelow(root)
  await makePrivateFolder(root, user)
  const lock = await lockFolder(layout.lock, options.dataDir, purpose)
  try {
    const socketFolder = runFolder(root)
    await makePrivateFolder(socketFolder, user)
    await endLeftovers(layout.cluster, log)
    const binaries = await findBinaries(user, user ? stateDir : root)
    const password = await prepareCluster(layout, binaries, user)
    const run = () =>
      startOnce(lock, layout, () => runServer({ ...layout, binaries, socketFolder, user, log, onSpawned }))
    const address = { host: socketFolder, port: socketPort, database: databaseName, user: ownerName, password }
    const server = await run()
    await makeDatabase(address).catch(async (error) => {
      await server.stop()
      throw error
    })
    log.info({ pid: server.pid, folder: root }, 'the built-in database runs')
    return supervise({ server, run, address, lock, cluster: layout.cluster, log })
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** When two have taken over a dead holder's lock at the same instant, the one that lost it must not start. */
async function startOnce(
  lock: FolderLock,
  layout: Layout,
  start: () => Promise<ServerProcess>,
): Promise<ServerProcess> {
  if (!(await lock.isOwn())) throw new EmbeddedRefused(`${layout.root} was locked by another start of the service`)
  return start()
}

async function makeDatabase(address: DatabaseAddress): Promise<void> {
  const driver = openPool({ ...address, database: 'postgres' }, { name: 'setup', connectionsMax: 1, statementMs: 0 })
  try {
    const found = await driver`select 1 from pg_database where datname = ${databaseName}`
    if (found.length === 0) await driver.unsafe(`create database ${databaseName}`)
  } finally {
    await driver.end({ timeout: 2 })
  }
}

interface Supervised {
  server: ServerProcess
  run(): Promise<ServerProcess>
  address: DatabaseAddress
  lock: FolderLock
  cluster: string
  log: Log
}

function supervise({ server: first, run, address, lock, cluster, log }: Supervised): EmbeddedServer {
  const listeners = new Set<(ending: Ending) => void>()
  const stopping = new AbortController()
  let server = first

  async function keepRunning(): Promise<void> {
    let failures = 0
    while (!stopping.signal.aborted) {
      const since = performance.now()
      const ending = await server.ended
      if (stopping.signal.aborted) return
      if (performance.now() - since > stableMs) failures = 0
      log.error({ ...ending, pid: server.pid }, 'the built-in database ended; restarting it')
      for (const listener of listeners) listener(ending)
      await restart(failures++)
    }
  }

  async function restart(failuresBefore: number): Promise<void> {
    for (let attempt = failuresBefore; !stopping.signal.aborted; attempt++) {
      if (attempt > 0) await pause(restartBackoff.delayMs(attempt, systemRandom), stopping.signal)
      if (stopping.signal.aborted) return
      try {
        await endLeftovers(cluster, log)
        server = await run()
        log.info({ pid: server.pid }, 'the built-in database runs again')
        return
      } catch (error) {
        log.error({ err: error }, 'the built-in database does not start')
      }
    }
  }

  const supervision = keepRunning()
  let stopped: Promise<void> | undefined
  return {
    address,
    get pid() {
      return server.pid
    },
    onExit(fire) {
      listeners.add(fire)
    },
    stop() {
      stopped ??= (async () => {
        stopping.abort()
        await server.stop()
        await supervision
        // One that was starting during the first stop.
        await server.stop()
        await lock.release()
      })()
      return stopped
    },
  }
}

async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  await wait(delayMs, undefined, { signal }).catch(() => undefined) // aborted: the caller checks
}
