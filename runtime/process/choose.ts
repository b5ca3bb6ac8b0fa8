/** Chooses the strongest sandbox that a host has, and describes what it does not contain. */
import type { Log } from '../log/log.ts'
import type { Clock } from '../time/clock.ts'
import { type BubblewrapAbilities, bubblewrapSandbox, probeBubblewrap } from './bubblewrap.ts'
import { containerSandbox } from './container.ts'
import { findInSystem, findOnPath } from './find-program.ts'
import { plainSandbox } from './plain-child.ts'
import type { ProcessSandbox } from './sandbox.ts'

export type Strength = 'strong' | 'middling' | 'weak'

interface Containment {
  strength: Strength
  /** What a program can still do; a sentence each. */
  notContained: readonly string[]
}

export type SandboxChoice = Containment &
  (
    | { kind: 'container'; engine: string; image: string; path: string }
    | { kind: 'bubblewrap'; bwrap: string; abilities: BubblewrapAbilities }
    | { kind: 'plain' }
  )

/** @param path folders in which docker and podman are searched. @returns undefined: there is neither */
export function chooseContainer(image: string, path: string): SandboxChoice | undefined {
  const engine = findOnPath('docker', path) ?? findOnPath('podman', path)
  if (engine === undefined) return undefined
  const notContained = [
    'it shares the kernel of the host',
    'folders that its image declares as volumes are writable, without a limit',
  ]
  return { kind: 'container', engine, image, path, strength: 'strong', notContained }
}

export interface HostChoice {
  /** Undefined: nothing can run on this host. */
  sandbox: SandboxChoice | undefined
  /** Why it is not a better one. */
  problem: string | undefined
}

/**
 * Bubblewrap where it works, else a plain child.
 * @param host.path folders in which bubblewrap is searched
 * @param host.signal ends the probe
 */
export async function chooseOnHost(host: { path: string; clock: Clock; signal: AbortSignal }): Promise<HostChoice> {
  if (findInSystem('prlimit') === undefined)
    return { sandbox: undefined, problem: 'prlimit (util-linux) is missing: code on this host has no limits' }
  const isRoot = process.getuid?.() === 0
  if (isRoot && findInSystem('setpriv') === undefined)
    return { sandbox: undefined, problem: 'the service runs as root and setpriv (util-linux) is missing' }
  const bwrap = findOnPath('bwrap', host.path)
  if (bwrap === undefined) return { sandbox: plainChoice(isRoot), problem: 'bubblewrap (bwrap) is missing' }
  const abilities = await probeBubblewrap(bwrap, host.clock, host.signal)
  if (abilities === undefined) return { sandbox: plainChoice(isRoot), problem: 'bubblewrap does not work here' }
  return { sandbox: bubblewrapChoice(bwrap, abilities), problem: undefined }
}

export function openSandbox(choice: SandboxChoice, options: { clock: Clock; log?: Log }): ProcessSandbox {
  switch (choice.kind) {
    case 'container':
      return containerSandbox({ ...options, engine: choice.engine, image: choice.image, path: choice.path })
    case 'bubblewrap':
      return bubblewrapSandbox({ ...options, ...choice.abilities, bwrap: choice.bwrap })
    case 'plain':
      return plainSandbox(options)
    default:
      return choice satisfies never
  }
}

const memoryIsChecked = 'memory of all its processes is checked ten times a second, not limited by the kernel'

function bubblewrapChoice(bwrap: string, abilities: BubblewrapAbilities): SandboxChoice {
  const notContained = [
    abilities.isFiltered
      ? 'it shares the kernel of the host, of whose calls the known dangerous ones are refused'
      : 'it shares the kernel of the host, whose calls are not filtered',
    'it can read everything under /usr',
    memoryIsChecked,
  ]
  return { kind: 'bubblewrap', bwrap, abilities, strength: 'middling', notContained }
}

function plainChoice(isDropped: boolean): SandboxChoice {
  const whenDropped = ['it can read files that everybody may read, and write to folders that everybody may write to']
  const whenServiceUser = [
    'it runs as the user of the service: it can read and change the files, environment and memory of the service',
    'a process that leaves its session and erases its environment outlives the run',
  ]
  const notContained = [
    'it has the network of the host, this service and its database included',
    ...(isDropped ? whenDropped : whenServiceUser),
    'it sees the processes of the host',
    'the number and total size of its files are not limited, only the size of each; shared memory that it leaves stays taken',
    memoryIsChecked,
  ]
  return { kind: 'plain', strength: 'weak', notContained }
}
