/** `DELETE /v1/admin/channels/:name`. */
import { z } from 'zod'
import { deleteChannel } from '../../../actors/channel/delete-channel.ts'
import { channelToDelete } from '../../../store/channel-deletion.ts'
import { builtInChannel } from '../../../store/channels.ts'
import { admin } from '../../access.ts'
import { ApiError, notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { ChannelParams } from './of-workspace.ts'

export const deleteChannelRoute = route({
  method: 'DELETE',
  path: '/v1/admin/channels/:name',
  summary: 'Delete a channel',
  description:
    'With its secrets and the bindings of its senders. Turns that have not ended and answers that have not been delivered are cancelled; conversations, turns and deliveries stay readable. A new channel of the same name is another channel. `generic` is built in: 409, turn it off instead.',
  tag: 'channels',
  access: admin('channels.write'),
  params: ChannelParams,
  answers: {
    200: z.object({ ok: z.literal(true), cancelled: z.object({ turns: z.int(), deliveries: z.int() }) }),
  },
  async handle(call) {
    const { app, params } = call
    const { workspaceId } = call.principal
    const id = await channelToDelete(app.db, workspaceId, params.name)
    if (id && params.name === builtInChannel)
      throw new ApiError('channel_built_in', `The channel ${builtInChannel} is built in; turn it off instead.`)
    const cancelled = id && (await deleteChannel(app, { id, workspaceId }, auditActor(call)))
    if (!cancelled) throw notFound(`There is no channel ${JSON.stringify(params.name)}.`)
    return { ok: true as const, cancelled }
  },
})
