/**
 * The user that a sandboxed process runs as. Root is always dropped, as the kernel's limit on processes does not apply to it.
 * Each run gets an unused user number, by which all its processes are counted, found and ended.
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
 * One counter in the process, as user numbers belong to the machine. A number that was just picked has no process yet:
 * without the counter two runs that start together could pick the same one, and would end each other.
 */
let nextNumber = Math.floor(Math.random() * 2 ** 31)

export interface RunUser {
  /** Undefined: the service is not root, and the process runs as the service's own user. */
  number: number | undefined
  /** Put before a command, it makes it run as this user. */
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
      'the service runs as root and cannot switch to another user without setpriv: nothing is run',
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
  throw new SandboxFailed('refused', 'no unused user number was found: nothing is run')
}
