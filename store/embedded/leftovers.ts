/**
 * Ends server processes that an earlier service left on our cluster, and no others. The caller holds the folder's lock, so
 * no service uses them any more.
 */
import { rm } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../../runtime/log/log.ts'
import { postmasterFilePath, readPostmasterFile } from './postmaster-file.ts'
import { isAlive, isPostgresOf, postgresProcessesOf } from './process-facts.ts'
import { EmbeddedRefused } from './refused.ts'

/** How long each signal has to work: a fast shutdown writes a checkpoint, the others write nothing. */
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
    log.warn({ pid: file.pid }, 'a database server of an earlier service still runs: stopping it')
    await endProcess(file.pid, cluster)
  }
  await endChildren(cluster)
  // Its pid may belong to another process by now, which PostgreSQL would take for a server of this cluster.
  const latest = await readPostmasterFile(cluster)
  if (latest?.pid === file.pid) await rm(postmasterFilePath(cluster), { force: true })
}

async function endProcess(pid: number, cluster: string): Promise<void> {
  for (const { signal, waitMs } of steps) {
    try {
      process.kill(pid, signal)
    } catch {
      return // gone
    }
    if (await becomesTrue(waitMs, async () => !(await isAlive(pid)))) return
  }
  throw new EmbeddedRefused(`the database server ${pid} on ${cluster} cannot be stopped: stop it by hand`)
}

/** Server processes outlive a killed postmaster for a moment. Those of two postmasters on one cluster would destroy it. */
async function endChildren(cluster: string): Promise<void> {
  const areGone = () => becomesTrue(5_000, async () => ((await postgresProcessesOf(cluster)) ?? []).length === 0)
  if (await areGone()) return
  for (const pid of (await postgresProcessesOf(cluster)) ?? []) {
    try {
      process.kill(pid, 'SIGKILL') // safe: commits are in the write-ahead log
    } catch {
      // gone
    }
  }
  if (!(await areGone())) throw new EmbeddedRefused(`server processes on ${cluster} cannot be stopped`)
}

async function becomesTrue(limitMs: number, condition: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + limitMs
  for (;;) {
    if (await condition()) return true
    if (performance.now() > until) return false
    await wait(pollMs)
  }
}
