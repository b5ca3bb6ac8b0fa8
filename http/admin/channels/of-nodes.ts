/** Channels as their nodes see them: turns and messages are counted at each node, the connection is at the one that has the channel. */
import { z } from 'zod'
import type { ConnectionState } from '../../../actors/channel/connections.ts'
import type { IntakeCounts } from '../../../actors/channel/intake-counts.ts'
import type { Services } from '../../../actors/services.ts'
import { ChannelId } from '../../../store/id.ts'
import { type HereAmongNodes, ofNodes } from '../nodes/of-nodes.ts'

const count = z.int().min(0)

const AtNode = z.object({
  waiting: count,
  running: count,
  intake: z.object({ accepted: count, duplicates: count, ignored: count, conflicts: count, refused: count }),
  /** Null: the channel is not at this node. */
  connection: z
    .object({
      status: z.enum(['none', 'connecting', 'connected', 'waiting']),
      since: z.date().nullable(),
      lastError: z.string().nullable(),
    })
    .nullable(),
})
type AtNode = z.infer<typeof AtNode>

export interface ChannelState {
  waiting: number
  running: number
  intake: IntakeCounts
  connection: ConnectionState
}

export interface ChannelsOfNodes {
  living(): readonly number[]
  /** @returns their states in the order of the ids, and how many of the nodes did not answer within a second */
  of(
    channels: readonly ChannelId[],
    nodes: readonly number[],
  ): Promise<{ states: readonly ChannelState[]; silent: number }>
}

const channelsMax = 10_000

export function channelsOfNodes(
  here: HereAmongNodes,
  services: Pick<Services, 'channels' | 'queue' | 'intakeCounts' | 'leases'>,
  living: () => readonly number[],
): ChannelsOfNodes {
  const { channels, queue, intakeCounts, leases } = services
  const stateHere = (id: ChannelId): AtNode => ({
    waiting: queue.backlog(id),
    running: queue.runningIn(id),
    intake: { ...intakeCounts.of(id) },
    connection: leases.of(id) === undefined ? null : channels.connections.of(id),
  })
  const ask = ofNodes(here, {
    kinds: { question: 'node.channels', answer: 'node.channels.are' },
    question: z.array(ChannelId).max(channelsMax),
    answer: z.array(AtNode).max(channelsMax),
    // Whatever another node asks for, only channels that there are get counters.
    own: (ids) => ids.map((id) => (channels.byId(id) ? stateHere(id) : nothing)),
  })
  return {
    living,
    async of(ids, nodes) {
      const answers = await Promise.all(nodes.map((node) => ask(node, [...ids])))
      const found = answers.filter((answer) => answer?.length === ids.length)
      const states = ids.map((_id, at) => together(found.map((answer) => answer?.[at] ?? nothing)))
      return { states, silent: nodes.length - found.length }
    },
  }
}

const nothing: AtNode = {
  waiting: 0,
  running: 0,
  intake: { accepted: 0, duplicates: 0, ignored: 0, conflicts: 0, refused: 0 },
  connection: null,
}
const unconnected: ConnectionState = { status: 'none', since: null, lastError: null }

function together(states: readonly AtNode[]): ChannelState {
  const sum = (of: (state: AtNode) => number) => states.reduce((total, state) => total + of(state), 0)
  return {
    waiting: sum(({ waiting }) => waiting),
    running: sum(({ running }) => running),
    intake: {
      accepted: sum(({ intake }) => intake.accepted),
      duplicates: sum(({ intake }) => intake.duplicates),
      ignored: sum(({ intake }) => intake.ignored),
      conflicts: sum(({ intake }) => intake.conflicts),
      refused: sum(({ intake }) => intake.refused),
    },
    connection: states.find(({ connection }) => connection !== null)?.connection ?? unconnected,
  }
}
