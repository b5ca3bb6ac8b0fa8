/** `GET /v1/admin/channels`, and one of them. */
import { z } from 'zod'
import type { Channel } from '../../../actors/channel/channels.ts'
import { admin } from '../../access.ts'
import { route } from '../../route.ts'
import { ChannelParams, channelOf } from './of-workspace.ts'
import { ChannelView, viewsOf } from './view.ts'

const SetState = z.enum(['on', 'paused', 'off'])

interface Filter {
  q: string
  adapter?: string | undefined
  state?: z.infer<typeof SetState> | undefined
}

function isFound({ name, adapter, policy, isEnabled, isPaused }: Channel, filter: Filter): boolean {
  const state = isEnabled ? (isPaused ? 'paused' : 'on') : 'off'
  return (
    (filter.state === undefined || filter.state === state) &&
    (filter.adapter === undefined || filter.adapter === adapter.name) &&
    `${name}\0${policy.agent}`.toLowerCase().includes(filter.q.toLowerCase())
  )
}

export const listChannels = route({
  method: 'GET',
  path: '/v1/admin/channels',
  summary: 'List the channels',
  tag: 'channels',
  access: admin('channels.read'),
  query: z.object({
    limit: z.coerce.number().int().min(1).max(200).default(50),
    offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
    q: z.string().trim().max(64).default('').describe('A part of the name or of the agent, in any case.'),
    adapter: z.string().max(64).optional(),
    state: SetState.optional().describe('What an operator has set.'),
  }),
  answers: { 200: z.object({ items: z.array(ChannelView), total: z.int(), next_cursor: z.null() }) },
  async handle({ app, query, principal }) {
    const { channels } = app.services
    await channels.catchUp(principal.workspaceId)
    const all = [...channels.all()].filter(
      (channel) => channel.workspaceId === principal.workspaceId && isFound(channel, query),
    )
    const items = all.slice(query.offset, query.offset + query.limit)
    return {
      items: await viewsOf(app, items),
      total: all.length,
      next_cursor: null,
    }
  },
})

export const readChannel = route({
  method: 'GET',
  path: '/v1/admin/channels/:name',
  summary: 'Read a channel',
  tag: 'channels',
  access: admin('channels.read'),
  params: ChannelParams,
  answers: { 200: ChannelView },
  async handle({ app, params, principal }) {
    const [view] = await viewsOf(app, [await channelOf(app, principal, params.name)])
    return view as z.infer<typeof ChannelView>
  },
})
