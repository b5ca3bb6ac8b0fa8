/** What /proc tells of the processes of a run: which they are, what they hold. Linux only; elsewhere all is empty. */
import { readdirSync, readFileSync, statSync } from 'node:fs'

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    // The process has ended, or is not ours to look at.
    return ''
  }
}

function all(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

/** A zombie holds nothing and is gone as soon as its parent looks. */
export function isAlive(pid: number): boolean {
  const state = /\) (\S)/.exec(read(`/proc/${pid}/stat`))?.[1]
  return state !== undefined && state !== 'Z' && state !== 'X'
}

/** The process and all below it. One that was left behind is below process 1 of its own namespace, or nowhere here. */
export function family(pid: number): number[] {
  const found = [pid]
  for (let at = 0; at < found.length && found.length < 1_000; at++) {
    const parent = found[at]
    for (const thread of threads(parent ?? 0)) {
      found.push(...read(`/proc/${parent}/task/${thread}/children`).split(' ').filter(Boolean).map(Number))
    }
  }
  return found
}

function threads(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

export function ofUser(user: number): number[] {
  return all().filter((pid) => {
    try {
      return statSync(`/proc/${pid}`).uid === user && isAlive(pid)
    } catch {
      return false
    }
  })
}

/** Processes that started with this variable and have not wiped it. */
export function withVariable(name: string, value: string): number[] {
  const wanted = `${name}=${value}`
  return all().filter((pid) => pid !== process.pid && read(`/proc/${pid}/environ`).split('\0').includes(wanted))
}

export function residentBytes(pids: readonly number[]): number {
  let kib = 0
  for (const pid of pids) kib += Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0)
  return kib * 1_024
}

/** Threads of a user: what the kernel holds against its limit of processes. */
export function threadsOfUser(user: number): number {
  let count = 0
  for (const pid of all()) {
    const status = read(`/proc/${pid}/status`)
    if (Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]) === user)
      count += Number(/^Threads:\s+(\d+)/m.exec(status)?.[1] ?? 0)
  }
  return count
}
