/**
 * The user a program runs as. Limits on processes do not bind root, so root is always dropped; each run gets a user
 * number of its own that nobody else has, by which all its processes are counted, and found and ended together.
 */
import { readFileSync } from 'node:fs'
import { ToolFailed } from '../tool.ts'
import { limits } from './limits.ts'
import { ofUser, threadsOfUser } from './processes.ts'
import { findInSystem } from './programs.ts'

/** Numbers that distributions and systemd leave free; the second for containers that map only 65,536 of them. */
const freeNumbers = [
  { first: 1_900_000_000, count: 100_000_000 },
  { first: 60_706, count: 478 },
]

/**
 * One after the other, from anywhere: of a number that was just given nothing may run yet, so that looking whether it is
 * used would not keep two runs that begin together from ending each other.
 */
let nextNumber = Math.floor(Math.random() * 2 ** 31)

export interface RunUser {
  /** Undefined: the service is not root, and the program runs as the service's own user. */
  dropped: number | undefined
  /** Words before a command that drop to it. */
  prefix: readonly string[]
  /** Limit on processes that leaves the run its own share. */
  processes: number
}

export function runUser(): RunUser {
  const own = process.getuid?.() ?? 0
  if (own !== 0) return { dropped: undefined, prefix: [], processes: threadsOfUser(own) + limits.processes }
  const setpriv = findInSystem('setpriv')
  if (setpriv === undefined) {
    throw new ToolFailed(
      'refused',
      'the service runs as root and has no setpriv to drop to another user: no code is run',
    )
  }
  const user = unusedNumber(readFileSync('/proc/self/uid_map', 'latin1'))
  return {
    dropped: user,
    prefix: [setpriv, `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--inh-caps=-all', '--'],
    processes: limits.processes,
  }
}

/** @param uidMap lines of first inside, first outside, count */
export function unusedNumber(uidMap: string): number {
  const mapped = uidMap
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  for (const { first, count } of freeNumbers) {
    const isMapped = mapped.some(([inside = 0, , size = 0]) => inside <= first && first + count <= inside + size)
    if (!isMapped) continue
    for (let attempt = 0; attempt < 8; attempt++) {
      const user = first + (nextNumber++ % count)
      if (ofUser(user).length === 0) return user
    }
  }
  throw new ToolFailed('refused', 'no unused user number can be had to run code as: no code is run')
}
