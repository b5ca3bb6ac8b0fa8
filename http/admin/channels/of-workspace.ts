/** Finds the channel of a path in the caller's workspace. */
import { z } from 'zod'
import type { Channel } from '../../../actors/channel/channels.ts'
import type { Principal } from '../../access.ts'
import type { App } from '../../app.ts'
import { notFound } from '../../error.ts'

export const ChannelName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be lower-case letters, digits, dots, dashes, at most 64')

export const ChannelParams = z.object({ name: ChannelName })

/** As it is now, whichever node it was changed at. @throws ApiError 404 */
export async function channelOf(app: App, principal: Principal, name: string): Promise<Channel> {
  const { channels } = app.services
  await channels.catchUp(principal.workspaceId)
  const channel = channels.byName(name)
  if (channel?.workspaceId !== principal.workspaceId) throw notFound(`There is no channel ${JSON.stringify(name)}.`)
  return channel
}
