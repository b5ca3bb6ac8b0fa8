/** What a node has to do at the moment: each knows its own, and asks the others. */
import { z } from 'zod'
import type { Bus } from '../../../runtime/nodes/bus.ts'
import { questions } from '../../../runtime/nodes/questions.ts'
import type { Clock } from '../../../runtime/time/clock.ts'
import { seconds } from '../../../runtime/time/duration.ts'

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

export interface NodeLoadsOptions {
  node: number
  bus: Bus | undefined
  clock: Clock
  own(): NodeLoad
}

export function nodeLoads({ node, bus, clock, own }: NodeLoadsOptions): NodeLoads {
  const ask =
    bus &&
    questions<Record<string, never>, NodeLoad>({
      ...{ bus, clock },
      kinds: { question: 'node.load', answer: 'node.loaded' },
      withinMs: seconds(1),
      askedMax: 1_000,
      isQuestion: (body): body is Record<string, never> => typeof body === 'object' && body !== null,
      isAnswer: (body): body is NodeLoad => NodeLoad.safeParse(body).success,
      answer: own,
    })
  return { node, of: async (of) => (of === node ? own() : await ask?.(of, {})) }
}
