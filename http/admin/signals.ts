/** `GET /v1/admin/signals`: what an operator watches: latency, errors, deliveries, channels. */
import { z } from 'zod'
import type { Channel } from '../../actors/channel/channels.ts'
import { Disposition } from '../../store/deliveries/deliveries.ts'
import { readSignals, type TurnSignals } from '../../store/signals/signals.ts'
import { admin } from '../access.ts'
import { route } from '../route.ts'
import type { ChannelState } from './channels/of-nodes.ts'
import { nodeFilter, nodesOf } from './nodes/node-filter.ts'

const recentMs = 600_000
const dayMs = 86_400_000

/** An alarm from this many times the usual latency on. */
const alarmRatio = 2
/** Twice of next to nothing is no alarm: 6 ms against 2 ms. */
const alarmFloorMs = 200
/** A share or a median of fewer turns means nothing. */
const turnsMin = 20

const Ms = z.number().nullable()

const ChannelSignals = z.object({
  channel: z.string(),
  waiting: z.int().describe('Waiting turns.'),
  running: z.int(),
  dispositions: z.record(Disposition, z.int()).describe('Deliveries created in the last 24 hours, by status.'),
  intake: z
    .object({
      accepted: z.int(),
      duplicates: z.int(),
      ignored: z.int().describe('Of senders without a binding.'),
      conflicts: z.int().describe('An Idempotency-Key with another body.'),
      refused: z.int().describe('The backlog was full, or the database down: nothing was stored.'),
    })
    .describe('Messages since the start of each node.'),
})

const Signals = z.object({
  latency: z.object({
    median_ms: Ms.describe('Of completed turns begun in the last 10 minutes; null: none.'),
    baseline_ms: Ms.describe('The same for the 24 hours before.'),
    ratio: z.number().nullable(),
    alarm: z
      .boolean()
      .describe(
        `True from ${alarmRatio} times the baseline on, if the median is at least ${alarmFloorMs} ms and both are of at least ${turnsMin} turns.`,
      ),
  }),
  errors: z.object({
    completed: z.int().describe('Of the last 10 minutes, at most the newest 5,000 turns.'),
    failed: z.int(),
    rate: z.number().nullable().describe('Failed of all ended turns, from 0 to 1; null: none ended.'),
  }),
  deliveries: z.object({
    pending: z.int().describe('Answers that are not delivered yet and not given up.'),
    oldest_age_s: z.number().nullable(),
  }),
  channels: z.array(ChannelSignals).describe('What waits, runs and came in: at the nodes that were asked for.'),
  silent_nodes: z.int().describe('Of these nodes, those that did not answer within a second: theirs is not counted.'),
  is_partial: z.boolean().describe('Only 50,000 deliveries were counted.'),
  at: z.iso.datetime(),
})

export const signals = route({
  method: 'GET',
  path: '/v1/admin/signals',
  summary: 'Latency, errors, deliveries and channels',
  tag: 'overview',
  description: 'Latency, errors and deliveries are those of all nodes.',
  access: admin('overview.read'),
  query: z.object({ node: nodeFilter }),
  answers: { 200: Signals },
  async handle({ app, principal, query }) {
    const nodes = nodesOf(app.channelsOfNodes, query.node)
    const nowMs = app.clock.now()
    const recentFrom = new Date(nowMs - recentMs)
    const baselineFrom = new Date(nowMs - recentMs - dayMs)
    const deliveriesFrom = new Date(nowMs - dayMs)
    const found = await readSignals(app.db, principal.workspaceId, { baselineFrom, recentFrom, deliveriesFrom })
    const { turns, pending, oldestPendingAt, dispositions } = found
    const channels = [...app.services.channels.all()].filter(({ workspaceId }) => workspaceId === principal.workspaceId)
    const { states, silent } = await app.channelsOfNodes.of(
      channels.map(({ id }) => id),
      nodes,
    )
    const ended = turns.completed + turns.failed
    return {
      latency: latencyOf(turns),
      errors: {
        completed: turns.completed,
        failed: turns.failed,
        rate: ended === 0 ? null : turns.failed / ended,
      },
      deliveries: {
        pending,
        oldest_age_s: oldestPendingAt && Math.max(0, (nowMs - oldestPendingAt.getTime()) / 1_000),
      },
      channels: channels.map((channel, at) =>
        channelSignals(channel, states[at] as ChannelState, dispositions.get(channel.id) ?? {}),
      ),
      silent_nodes: silent,
      is_partial: found.isPartial,
      at: new Date(nowMs).toISOString(),
    }
  },
})

function latencyOf({ medianMs, baselineMs, completed, baselineCompleted }: TurnSignals) {
  const ratio = medianMs !== null && baselineMs !== null && baselineMs > 0 ? medianMs / baselineMs : null
  const areEnough = completed >= turnsMin && baselineCompleted >= turnsMin
  return {
    median_ms: medianMs,
    baseline_ms: baselineMs,
    ratio,
    alarm: areEnough && ratio !== null && ratio >= alarmRatio && (medianMs ?? 0) >= alarmFloorMs,
  }
}

function channelSignals(channel: Channel, { waiting, running, intake }: ChannelState, counts: Record<string, number>) {
  return {
    channel: channel.name,
    waiting,
    running,
    dispositions: Object.fromEntries(Disposition.options.map((status) => [status, counts[status] ?? 0])),
    intake,
  }
}
