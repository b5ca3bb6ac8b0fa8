/**
 * Milliseconds of processor time that work takes. Unlike time on the clock they do not grow while other processes keep the
 * cores busy, so a bound on them fails only when the work itself is too slow.
 */
import { readFileSync } from 'node:fs'
import type { Database } from '../../store/database.ts'

/** What this process spends on `work`, in all its threads, and with `db` what PostgreSQL spends for that database too. */
export async function processorMs(work: () => unknown, db?: Database): Promise<number> {
  const serverBefore = db ? await serverMs(db) : new Map<number, number>()
  const before = process.cpuUsage()
  await work()
  const spent = process.cpuUsage(before)
  let serverSpentMs = 0
  if (db) for (const [pid, ms] of await serverMs(db)) serverSpentMs += ms - (serverBefore.get(pid) ?? 0)
  return (spent.user + spent.system) / 1_000 + serverSpentMs
}

/** What this thread spends on `work`, which waits for nothing. */
export function threadMs(work: () => unknown): number {
  const beforeMs = threadUsedMs()
  work()
  return threadUsedMs() - beforeMs
}

function threadUsedMs(): number {
  // Linux counts a running thread's time at each tick of its clock, some milliseconds apart, or when the process's is read.
  process.cpuUsage()
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** The least of several rounds: the first ones load, compile and plan. */
export async function leastOf(rounds: number, measure: () => number | Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) least = Math.min(least, await measure())
  return least
}

/** What each of the server's processes for this database has used. A query has one process: the service runs none in parallel. */
async function serverMs(db: Database): Promise<Map<number, number>> {
  const processes = await db.system<{ pid: number }>`
    select pid from pg_stat_activity where datname = current_database()`
  return new Map(processes.map(({ pid }) => [pid, usedMs(pid)]))
}

/** 0 where the system has no /proc, or the process has just ended. */
function usedMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6
  } catch {
    return 0
  }
}
