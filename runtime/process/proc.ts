/** Reads from /proc which processes there are and how much memory they use. Linux only; elsewhere every list is empty. */
import { readdirSync, readFileSync, statSync } from 'node:fs'

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    // The process has ended, or we may not read it.
    return ''
  }
}

function allProcesses(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

/** A zombie counts as dead: it uses nothing, and only its parent has yet to wait for it. */
export function isAlive(pid: number): boolean {
  const state = /\) (\S)/.exec(read(`/proc/${pid}/stat`))?.[1]
  return state !== undefined && state !== 'Z' && state !== 'X'
}

/** The process and its descendants. Orphans are children of process 1 of their namespace: without a namespace they are missed. */
export function processTree(pid: number): number[] {
  const pids = [pid]
  for (let at = 0; at < pids.length && pids.length < 1_000; at++) {
    const parent = pids[at]
    for (const thread of threadsOf(parent ?? 0)) {
      pids.push(...read(`/proc/${parent}/task/${thread}/children`).split(' ').filter(Boolean).map(Number))
    }
  }
  return pids
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

export function processesOfUser(user: number): number[] {
  return allProcesses().filter((pid) => {
    try {
      return statSync(`/proc/${pid}`).uid === user && isAlive(pid)
    } catch {
      return false
    }
  })
}

/** Processes that were started with this environment variable and have not erased it. */
export function processesWithVariable(name: string, value: string): number[] {
  const entry = `${name}=${value}`
  return allProcesses().filter((pid) => pid !== process.pid && read(`/proc/${pid}/environ`).split('\0').includes(entry))
}

export function residentBytes(pids: readonly number[]): number {
  let kib = 0
  for (const pid of pids) kib += Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0)
  return kib * 1_024
}

/** Threads of a user: what the kernel compares with its limit of processes. */
export function threadsOfUser(user: number): number {
  let count = 0
  for (const pid of allProcesses()) {
    const status = read(`/proc/${pid}/status`)
    if (Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]) === user)
      count += Number(/^Threads:\s+(\d+)/m.exec(status)?.[1] ?? 0)
  }
  return count
}
