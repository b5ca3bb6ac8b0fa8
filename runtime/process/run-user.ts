/**
 * The user that a sandboxed process runs as. The kernel's limit on processes does not bind root, so root is always
 * dropped. Each run gets a user number that nobody else has: by it all its processes are counted, found and ended.
 */
import { readFileSync } from 'node:fs'
import { SandboxFailed } from './errors.ts'
import { findInSystem } from './find-program.ts'
import { processesOfUser, threadsOfUser } from './proc.ts'

/** Numbers that distributions and systemd leave free; the second range for containers that map only 65,536 of them. */
const freeNumbers = [
  { first: 1_900_000_000, count: 100_000_000 },
  { first: 60_706, count: 478 },
]

/**
 * Of the whole process, since user numbers are the machine's. Counted up: a number that was just picked has no process
 * yet, so that two runs that begin together would both find it unused, and end each other.
 */
let nextNumber = Math.floor(Math.random() * 2 ** 31)

export interface RunUser {
  /** Undefined: the service is not root, and the process runs as the service's own user. */
  number: number | undefined
  /** Words before a command that drop to it. */
  commandPrefix: readonly string[]
  /** The limit on the user's processes that leaves the run its share. */
  processesMax: number
}

/**
 * @param processesMax of the run
 * @throws SandboxFailed `refused`
 */
export function pickRunUser(processesMax: number): RunUser {
  const own = process.getuid?.() ?? 0
  if (own !== 0) return { number: undefined, commandPrefix: [], processesMax: threadsOfUser(own) + processesMax }
  const setpriv = findInSystem('setpriv')
  if (setpriv === undefined) {
    throw new SandboxFailed(
      'refused',
      'the service runs as root and has no setpriv to drop to another user: nothing is run',
    )
  }
  const number = unusedNumber(readFileSync('/proc/self/uid_map', 'latin1'))
  return {
    number,
    commandPrefix: [setpriv, `--reuid=${number}`, `--regid=${number}`, '--clear-groups', '--inh-caps=-all', '--'],
    processesMax,
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
      const number = first + (nextNumber++ % count)
      if (processesOfUser(number).length === 0) return number
    }
  }
  throw new SandboxFailed('refused', 'there is no unused user number to run code as: nothing is run')
}
