/** A node as far as messages between nodes go: the bus, the links on it, and actors that live on one of two nodes. */
import { createSecretKey } from 'node:crypto'
import { natsWire } from '../../gateway/bus/nats.ts'
import { busOverWire } from '../../gateway/bus/over-wire.ts'
import { postgresWire } from '../../gateway/bus/postgres.ts'
import { msgpack } from '../../runtime/actor/codec.ts'
import { actorDefiner } from '../../runtime/actor/define.ts'
import { createSystem, type System } from '../../runtime/actor/system.ts'
import { createLog } from '../../runtime/log/log.ts'
import { openLinks } from '../../runtime/nodes/links.ts'
import { exponential } from '../../runtime/time/backoff.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { openDatabase } from '../../store/database.ts'
import type { DatabaseAddress } from '../../store/postgres/address.ts'

export const asker = 1
export const owner = 2

export const echo = actorDefiner<null>()({
  kind: 'echo',
  key: { parse: (value: unknown): string => String(value) },
  placement: 'slot',
  mailbox: { capacity: 4_096 },
  supervision: { restarts: 5, withinMs: 60_000, backoff: exponential(50, 5_000) },
  start: () => null,
  receive: {
    say: (_context, { text }: { text: string }) => ({ text }),
  },
})

/** Over NATS where BENCH_NATS_URL is set, else through the database of BENCH_DATABASE. */
export async function hopNode(node: number): Promise<System> {
  const log = createLog({ level: 'error' })
  const clock = systemClock
  const url = process.env['BENCH_NATS_URL']
  const wire = url
    ? natsWire({ url, epoch: node, prefix: 'bench', log })
    : postgresWire({
        db: openDatabase(JSON.parse(process.env['BENCH_DATABASE'] ?? '') as DatabaseAddress),
        epoch: node,
        log,
      })
  const bus = await busOverWire(wire, { epoch: node, key: createSecretKey(Buffer.alloc(32, 'b')), log })
  const around = {
    node,
    of: () => (node === owner ? 1 : undefined),
    hold: () => undefined,
    isCurrent: true,
    nodes: [{ epoch: asker }, { epoch: owner }],
    ownerOf: () => owner,
  }
  const links = openLinks({ bus, codec: msgpack, clock, log })
  return createSystem({ services: null, log, clock, nodes: { around, links }, definitions: [echo] })
}
