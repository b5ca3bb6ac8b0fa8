/**
 * No network holds more than half of all connections. The library says where a connection comes from when it opens, and
 * nothing when it closes: openings are counted, and the count is put right by what the kernel has open.
 */
import { readFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../runtime/time/clock.ts'

type Counts = Map<string, number>

/** Open connections by the network of their other end. Undefined: this system does not tell. */
export type OpenConnections = () => Promise<ReadonlyMap<string, number> | undefined>

export interface ConnectionShares {
  /** Of a connection that opens. @param connections all that are open, this one included @returns false: refuse it */
  admits(address: string, connections: number): boolean
}

export interface ConnectionSharesOptions {
  clock: Clock
  connectionsMax: number
  /** Of one network. */
  shareMax?: number
  networkOf(address: string): string
  /** A proxy: many clients come from there. */
  isExempt(address: string): boolean
  open: OpenConnections
}

const countEveryMs = 1_000

export function connectionShares(options: ConnectionSharesOptions): ConnectionShares {
  const { clock, connectionsMax, networkOf, isExempt, open } = options
  const { shareMax = connectionsMax / 2 } = options
  let counted: ReadonlyMap<string, number> = new Map()
  /** Since they were counted. */
  let opened: Counts = new Map()
  /** Since the kernel was asked for the next count; undefined: it is not. */
  let meanwhile: Counts | undefined
  let countedMs = Number.NEGATIVE_INFINITY
  let isKnown = true

  async function count(): Promise<void> {
    if (meanwhile || clock.elapsed() - countedMs < countEveryMs) return
    countedMs = clock.elapsed()
    meanwhile = new Map()
    const found = await open().catch(() => undefined)
    isKnown = found !== undefined
    counted = found ?? new Map()
    opened = meanwhile
    meanwhile = undefined
  }

  return {
    admits(address, connections) {
      const network = networkOf(address)
      const own = (counted.get(network) ?? 0) + (opened.get(network) ?? 0) + 1
      if (connections > connectionsMax / 2 && own > shareMax && isKnown && !isExempt(address)) {
        void count()
        return false
      }
      add(opened, network)
      if (meanwhile) add(meanwhile, network)
      if (opened.size > connectionsMax) void count()
      return true
    },
  }
}

function add(counts: Counts, network: string): void {
  counts.set(network, (counts.get(network) ?? 0) + 1)
}

const established = '01'
const linesAtOnce = 5_000

/** On Linux. @param ports on which we listen */
export async function openByKernel(
  ports: ReadonlySet<number>,
  networkOf: (address: string) => string,
): Promise<ReadonlyMap<string, number> | undefined> {
  if (process.platform !== 'linux') return undefined
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'latin1').catch(() => '')),
  )
  const found: Counts = new Map()
  for (const table of tables) {
    let lines = 0
    for (let from = 0, to = table.indexOf('\n'); to >= 0; from = to + 1, to = table.indexOf('\n', from)) {
      if (++lines % linesAtOnce === 0) await setImmediate()
      const [, local = '', remote = '', state] = table.slice(from, to).trim().split(/\s+/, 4)
      if (state !== established || !ports.has(Number.parseInt(local.slice(local.indexOf(':') + 1), 16))) continue
      add(found, networkOf(addressOf(remote.slice(0, remote.indexOf(':')))))
    }
  }
  return found
}

/** Words of four bytes, each in the machine's own order: the lowest byte first on all that we run on. */
function addressOf(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => [...Buffer.from(word, 'hex').reverse()])
  if (bytes.length === 4) return bytes.join('.')
  const group = (at: number) => (((bytes[at * 2] ?? 0) << 8) | (bytes[at * 2 + 1] ?? 0)).toString(16)
  return Array.from({ length: 8 }, (_, at) => group(at)).join(':')
}
