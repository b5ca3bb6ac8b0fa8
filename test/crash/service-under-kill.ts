/** The service in a process of its own, with its built-in database, to be killed without warning and started again. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../bench/process/free-port.ts'
import { openDatabase } from '../../store/database.ts'
import { findEmbedded } from '../../store/embedded/find.ts'
import { type Place, ServiceProcess, type UnderKill } from './under-kill.ts'

const databaseShare = 0.3
const databaseMsMax = 30_000

export async function serviceUnderKill(place: Place): Promise<UnderKill> {
  const dataDir = join(place.folder, 'data')
  const service = new ServiceProcess({ ...place, port: await freePort() })

  async function killDatabase(): Promise<void> {
    const file = join(dataDir, 'postgres/cluster/postmaster.pid')
    const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0])
    // The file may be that of one that was killed before.
    if (pid > 1 && isAlive(pid)) process.kill(pid, 'SIGKILL')
  }

  return {
    url: () => service.url,
    wasKilled: (_url, fromMs, toMs) => service.wasKilled(fromMs, toMs),
    start: () => service.start(),
    async strike() {
      if (place.faultsRandom.next() < databaseShare) {
        await killDatabase()
        await service.ready()
        return 'database killed and back'
      }
      // Its database has to notice by itself.
      await service.kill()
      await service.start()
      return 'service killed and back'
    },
    /** The last fault may have ended it so lately that the service has not started it again yet. */
    async openDatabase() {
      for (const startedMs = performance.now(); performance.now() - startedMs < databaseMsMax; await wait(100)) {
        const found = await findEmbedded({ dataDir, isDataDirExplicit: true })
        if (found) return openDatabase(found.address)
      }
      throw new Error('the database of the service does not run')
    },
    stop: () => service.stop(),
    kill: () => service.kill(),
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
