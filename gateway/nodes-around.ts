/** The way to the other nodes, and what this one says and hears on it of its slots. */
import type { KeyObject } from 'node:crypto'
import { derivedKey, type MasterKey } from '../config/seal.ts'
import { msgpack } from '../runtime/actor/codec.ts'
import type { Log } from '../runtime/log/log.ts'
import type { Bus } from '../runtime/nodes/bus.ts'
import { type Links, openLinks } from '../runtime/nodes/links.ts'
import type { Clock } from '../runtime/time/clock.ts'
import type { Database } from '../store/database.ts'
import { nodesPrefix } from '../store/nodes/installation.ts'
import type { Membership } from './membership.ts'

export interface OtherNodes {
  around: Membership
  bus: Bus
  links: Links
}

export function openOtherNodes(
  membership: Membership,
  bus: Bus,
  { clock, log }: { clock: Clock; log: Log },
): OtherNodes {
  const links = openLinks({ bus, codec: msgpack, clock, log })
  membership.onGone((nodes) => {
    for (const node of nodes) links.forget(node)
  })
  membership.onFreed(() => bus.broadcast('slots.freed', null))
  bus.on('slots.freed', () => membership.look())
  return { around: membership, bus, links }
}

/** Of what one node makes and another takes, by its label. */
export async function keysOfNodes(db: Database, key: MasterKey): Promise<(label: string) => KeyObject> {
  const salt = await nodesPrefix(db)
  return (label) => derivedKey(key, { label, salt })
}
