/** A channel as the admin API shows it, with the names of its secrets only. */
import { z } from 'zod'
import type { Channel } from '../../../actors/channel/channels.ts'
import { ChannelPolicy } from '../../../actors/channel/policy.ts'
import { ChannelId } from '../../../store/id.ts'
import type { App } from '../../app.ts'
import type { ChannelState } from './of-nodes.ts'

export const ChannelView = z.object({
  id: ChannelId,
  name: z.string(),
  adapter: z.string(),
  config: z.record(z.string(), z.unknown()),
  policy: ChannelPolicy,
  secrets: z.array(z.string()).describe('The names of the secrets that are set.'),
  is_enabled: z.boolean(),
  is_paused: z.boolean(),
  waiting_turns: z.int().describe('At all nodes.'),
  connection: z
    .object({
      status: z
        .enum(['none', 'connecting', 'connected', 'waiting'])
        .describe('none: the channel is off or needs no connection. waiting: disconnected, and retried after a pause.'),
      since: z.iso.datetime().nullable(),
      last_error: z.string().nullable().describe('The last connection error since the channel was changed.'),
    })
    .describe('At the node that has the channel.'),
  inbound: z
    .object({
      needs_secret: z.boolean().describe('Whether POST /v1/inbound takes messages with SERVICE_INBOUND_SECRET alone.'),
      needs_binding: z.boolean().describe('Whether messages of senders without a binding are ignored.'),
      ignored: z.int().describe('Messages of senders without a binding, since the start of each node.'),
    })
    .describe('What a message needs in order to be answered.'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})

/** As all nodes together see them. */
export async function viewsOf(app: App, channels: readonly Channel[]): Promise<z.infer<typeof ChannelView>[]> {
  const { channelsOfNodes } = app
  const ids = channels.map(({ id }) => id)
  const { states } = await channelsOfNodes.of(ids, channelsOfNodes.living())
  return channels.map((channel, at) => viewOf(app, channel, states[at] as ChannelState))
}

function viewOf(
  { settings }: App,
  channel: Channel,
  { waiting, connection, intake }: ChannelState,
): z.infer<typeof ChannelView> {
  const { status, since, lastError } = connection
  return {
    id: channel.id,
    name: channel.name,
    adapter: channel.adapter.name,
    config: channel.config as Record<string, unknown>,
    policy: channel.policy,
    secrets: Object.keys(channel.secrets as object),
    is_enabled: channel.isEnabled,
    is_paused: channel.isPaused,
    waiting_turns: waiting,
    connection: { status, since: since?.toISOString() ?? null, last_error: lastError },
    inbound: {
      needs_secret: settings.get('SERVICE_INBOUND_SECRET') !== '',
      needs_binding: settings.get('SERVICE_INBOUND_REQUIRE_BINDING') === 'true',
      ignored: intake.ignored,
    },
    created_at: channel.createdAt.toISOString(),
    updated_at: channel.updatedAt.toISOString(),
  }
}
