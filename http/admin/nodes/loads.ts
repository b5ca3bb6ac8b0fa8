/** What a node has to do at the moment: each knows its own, and asks the others. */
import { z } from 'zod'
import { type HereAmongNodes, ofNodes } from './of-nodes.ts'

const count = z.int().min(0)

export const NodeLoad = z.object({
  turns: count.describe('That run.'),
  waiting: count.describe('Turns that may run as soon as there is room.'),
  actors: count.describe('In memory.'),
  streams: count,
  connections: count.describe('Of clients, open.'),
  memory_bytes: count.describe('Resident.'),
  messages: z
    .object({
      way: z.enum(['nats', 'database']),
      is_up: z.boolean(),
      sent: count,
      received: count,
      dropped: count,
      refused: count,
      lost: count,
    })
    .nullable()
    .describe('To and from other nodes, since the start. Null: there can be none.'),
})
export type NodeLoad = z.infer<typeof NodeLoad>

export interface NodeLoads {
  /** The number of this node. */
  readonly node: number
  /** Undefined: it does not answer within a second. */
  of(node: number): Promise<NodeLoad | undefined>
}

export function nodeLoads(here: HereAmongNodes, own: () => NodeLoad): NodeLoads {
  const kinds = { question: 'node.load', answer: 'node.loaded' }
  const of = ofNodes(here, { kinds, question: z.object({}), answer: NodeLoad, own })
  return { node: here.node, of: (node) => of(node, {}) }
}
