/** A channel as the admin API shows it, with the names of its secrets only. */
import { z } from 'zod'
import type { Channel } from '../../../actors/channel/channels.ts'
import type { ConnectionState } from '../../../actors/channel/connections.ts'
import { ChannelPolicy } from '../../../actors/channel/policy.ts'
import { ChannelId } from '../../../store/id.ts'

export const ChannelView = z.object({
  id: ChannelId,
  name: z.string(),
  adapter: z.string(),
  config: z.record(z.string(), z.unknown()),
  policy: ChannelPolicy,
  secrets: z.array(z.string()).describe('The names of the secrets that are set.'),
  is_enabled: z.boolean(),
  is_paused: z.boolean(),
  waiting_turns: z.int(),
  connection: z
    .object({
      status: z
        .enum(['none', 'connecting', 'connected', 'waiting'])
        .describe('none: the channel is off or needs no connection. waiting: disconnected, and retried after a pause.'),
      since: z.iso.datetime().nullable(),
      last_error: z.string().nullable().describe('The last connection error since the channel was changed.'),
    })
    .describe('Of this process.'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})

export function viewOf(
  channel: Channel,
  waitingTurns: number,
  { status, since, lastError }: ConnectionState,
): z.infer<typeof ChannelView> {
  return {
    id: channel.id,
    name: channel.name,
    adapter: channel.adapter.name,
    config: channel.config as Record<string, unknown>,
    policy: channel.policy,
    secrets: Object.keys(channel.secrets as object),
    is_enabled: channel.isEnabled,
    is_paused: channel.isPaused,
    waiting_turns: waitingTurns,
    connection: { status, since: since?.toISOString() ?? null, last_error: lastError },
    created_at: channel.createdAt.toISOString(),
    updated_at: channel.updatedAt.toISOString(),
  }
}
