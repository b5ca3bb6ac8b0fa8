/**
 * Ends what an earlier service left on our cluster, and only that. Called by the holder of the folder's lock, so whoever
 * still serves the cluster serves nobody.
 */
import { rm } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../../runtime/log/log.ts'
import { postmasterFilePath, readPostmasterFile } from './postmaster-file.ts'
import { isAlive, isPostgresOf, postgresProcessesOf } from './process-facts.ts'
import { EmbeddedRefused } from './refused.ts'

/** How long each way of asking gets: a fast shutdown writes a checkpoint, the others write nothing. */
const steps = [
  { signal: 'SIGINT', waitMs: 30_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const
const pollMs = 10

/** @throws EmbeddedRefused when something on the cluster cannot be ended */
export async function endLeftovers(cluster: string, log: Log): Promise<void> {
  const file = await readPostmasterFile(cluster)
  if (!file) return
  if ((await isAlive(file.pid)) && (await isPostgresOf(cluster, file.pid))) {
    log.warn({ pid: file.pid }, 'a database server was left running on our folder: stopping it')
    await endProcess(file.pid, cluster)
  }
  await childrenGone(cluster)
  // Its number may belong to another process by now, and PostgreSQL would take that one for a server of this cluster.
  const left = await readPostmasterFile(cluster)
  if (left?.pid === file.pid) await rm(postmasterFilePath(cluster), { force: true })
}

async function endProcess(pid: number, cluster: string): Promise<void> {
  for (const { signal, waitMs } of steps) {
    try {
      process.kill(pid, signal)
    } catch {
      return // gone
    }
    if (await within(waitMs, async () => !(await isAlive(pid)))) return
  }
  throw new EmbeddedRefused(`the database server ${pid} on ${cluster} cannot be stopped: stop it by hand`)
}

/** Server processes outlive a killed postmaster for a moment; two generations on one cluster would destroy it. */
async function childrenGone(cluster: string): Promise<void> {
  const areGone = () => within(5_000, async () => ((await postgresProcessesOf(cluster)) ?? []).length === 0)
  if (await areGone()) return
  for (const pid of (await postgresProcessesOf(cluster)) ?? []) {
    try {
      process.kill(pid, 'SIGKILL') // nothing is lost: what is committed is in the write-ahead log
    } catch {
      // gone meanwhile
    }
  }
  if (!(await areGone())) throw new EmbeddedRefused(`server processes on ${cluster} cannot be stopped`)
}

async function within(limitMs: number, isSo: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + limitMs
  for (;;) {
    if (await isSo()) return true
    if (performance.now() > until) return false
    await wait(pollMs)
  }
}
