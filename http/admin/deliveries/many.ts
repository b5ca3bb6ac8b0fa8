/** `POST /v1/admin/deliveries/many`: retries or cancels all deliveries of a filter, after counting them. */
import { z } from 'zod'
import { changeDeliveries, changedMax, countDeliveries, countedMax } from '../../../store/deliveries/bulk.ts'
import type { Disposition } from '../../../store/deliveries/deliveries.ts'
import { ConversationId } from '../../../store/id.ts'
import { admin } from '../../access.ts'
import { badRequest } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { ChannelName, channelOf } from '../channels/of-workspace.ts'
import { countedAt } from '../counted-at.ts'

/** The statuses that an action may change, and those that it changes where the request has no status. */
const statusesOf = {
  retry: { byDefault: ['failed', 'undeliverable'], allowed: ['failed', 'undeliverable', 'cancelled'] },
  cancel: { byDefault: ['pending', 'failed'], allowed: ['pending', 'failed'] },
} as const satisfies Record<string, { byDefault: readonly Disposition[]; allowed: readonly Disposition[] }>

export const manyDeliveries = route({
  method: 'POST',
  path: '/v1/admin/deliveries/many',
  summary: 'Retry or cancel many deliveries',
  description: `Without as_of nothing changes: the answer has their number and the time of the count. With that time as as_of, the oldest ${changedMax} that have not changed since are changed; repeat while has_more is true.`,
  tag: 'deliveries',
  access: admin('deliveries.write'),
  body: z.strictObject({
    action: z.enum(['retry', 'cancel']),
    status: z
      .enum(['pending', 'failed', 'undeliverable', 'cancelled'])
      .optional()
      .describe('Left out: retry takes failed and undeliverable ones, cancel pending and failed ones.'),
    channel: ChannelName.optional(),
    conversation_id: ConversationId.optional(),
    as_of: z.iso.datetime().optional(),
  }),
  answers: {
    200: z.object({
      count: z.int().describe(`Without as_of: those that would be changed, at most ${countedMax + 1}.`),
      as_of: z.iso.datetime(),
      changed: z.int(),
      has_more: z.boolean(),
    }),
  },
  async handle(call) {
    const { app, body, principal } = call
    const filter = {
      statuses: statusesFor(body.action, body.status),
      channelId: body.channel === undefined ? null : (await channelOf(app, principal, body.channel)).id,
      conversationId: body.conversation_id ?? null,
    }
    if (body.as_of === undefined) {
      const { count, asOf } = await countDeliveries(app.db, principal.workspaceId, filter)
      return { count, as_of: asOf.toISOString(), changed: 0, has_more: count > 0 }
    }
    const { channels, feed } = app.services
    const asOf = await countedAt(app.db, principal.workspaceId, body.as_of)
    const result = await changeDeliveries(app.db, auditActor(call), body.action, filter, asOf)
    for (const id of result.channels) if (channels.isOpen(id)) channels.wake(id)
    if (result.changed > 0) feed.wake()
    const { changed } = result
    return { count: changed, as_of: body.as_of, changed, has_more: changed === changedMax }
  },
})

function statusesFor(action: keyof typeof statusesOf, status: Disposition | undefined): readonly Disposition[] {
  const { byDefault, allowed } = statusesOf[action]
  if (status === undefined) return byDefault
  if (!(allowed as readonly Disposition[]).includes(status))
    throw badRequest(
      `Deliveries with the status ${status} cannot be ${action === 'retry' ? 'retried' : 'cancelled'}.`,
      'status',
    )
  return [status]
}
