/** The outbox for operators: deliveries are listed, read, retried, cancelled. */
import { z } from 'zod'
import { previewLengthMax } from '../../../store/conversations/body-preview.ts'
import { cancelDelivery, retryDelivery } from '../../../store/deliveries/changes.ts'
import { Disposition } from '../../../store/deliveries/deliveries.ts'
import { type DeliveryRecord, listDeliveries, readDelivery } from '../../../store/deliveries/reads.ts'
import { ConversationId, DeliveryId, MessageId } from '../../../store/id.ts'
import { admin } from '../../access.ts'
import { ApiError, notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { channelOf } from '../channels/of-workspace.ts'

const DeliveryView = z.object({
  id: DeliveryId,
  channel: z.string(),
  conversation_id: ConversationId,
  message_id: MessageId,
  status: Disposition,
  attempts: z.int(),
  behind: DeliveryId.nullable().describe(
    'Answers of a conversation leave in order: this earlier one has to end first.',
  ),
  next_at: z.iso.datetime().nullable().describe('The next attempt; null: none is planned.'),
  expires_at: z.iso.datetime(),
  receipt: z.string().nullable(),
  reason: z.string().nullable().describe('Why the last attempt failed.'),
  recipient: z.string().nullable().describe('The person’s id in the channel.'),
  preview: z.string().nullable().describe(`The first ${previewLengthMax} characters of what is delivered.`),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})

const AttemptView = z.object({
  attempt: z.int(),
  at: z.iso.datetime(),
  duration_ms: z.number().nullable(),
  outcome: z.string(),
  status_code: z.int().nullable(),
  error: z.string().nullable(),
})

function viewOf(row: DeliveryRecord): z.infer<typeof DeliveryView> {
  const isWaiting = row.status === 'pending' || row.status === 'failed'
  return {
    id: row.id,
    channel: row.channel,
    conversation_id: row.conversationId,
    message_id: row.messageId,
    status: row.status,
    attempts: row.attempts,
    behind: row.behindId,
    next_at: isWaiting ? row.nextAt.toISOString() : null,
    expires_at: row.expiresAt.toISOString(),
    receipt: row.receipt,
    reason: row.reason,
    recipient: row.recipient,
    preview: row.preview,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}

const shared = { tag: 'deliveries' } as const
const Params = z.object({ id: DeliveryId })

export const deliveries = route({
  ...shared,
  method: 'GET',
  path: '/v1/admin/deliveries',
  summary: 'List deliveries, newest first',
  access: admin('deliveries.read'),
  query: z.object({
    status: Disposition.optional(),
    channel: z.string().max(64).optional(),
    conversation_id: ConversationId.optional(),
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: DeliveryId.optional(),
  }),
  answers: { 200: z.object({ items: z.array(DeliveryView), next_cursor: z.string().nullable() }) },
  async handle({ app, query, principal }) {
    const channelId = query.channel === undefined ? null : (await channelOf(app, principal, query.channel)).id
    const filter = { status: query.status ?? null, channelId, conversationId: query.conversation_id ?? null }
    const page = { before: query.cursor ?? null, limit: query.limit + 1 }
    const rows = await listDeliveries(app.db, principal.workspaceId, filter, page)
    const items = rows.slice(0, query.limit)
    return { items: items.map(viewOf), next_cursor: rows.length > query.limit ? (items.at(-1)?.id ?? null) : null }
  },
})

export const delivery = route({
  ...shared,
  method: 'GET',
  path: '/v1/admin/deliveries/:id',
  summary: 'Read a delivery and its attempts',
  access: admin('deliveries.read'),
  params: Params,
  answers: { 200: DeliveryView.extend({ tries: z.array(AttemptView) }) },
  async handle({ app, params, principal }) {
    const found = await readDelivery(app.db, principal.workspaceId, params.id)
    if (!found) throw notFound('There is no such delivery.')
    return {
      ...viewOf(found),
      tries: found.tries.map((one) => ({
        attempt: one.attempt,
        at: one.at.toISOString(),
        duration_ms: one.durationMs,
        outcome: one.outcome,
        status_code: one.statusCode,
        error: one.error,
      })),
    }
  },
})

export const retry = route({
  ...shared,
  method: 'POST',
  path: '/v1/admin/deliveries/:id/retry',
  summary: 'Retry a delivery now',
  description:
    'One that waits, is undeliverable or was cancelled. Its attempts count from zero again, and its age limit starts again.',
  access: admin('deliveries.write'),
  params: Params,
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { app, params, principal } = call
    const { channels, feed } = app.services
    const found = await readDelivery(app.db, principal.workspaceId, params.id)
    if (!found) throw notFound('There is no such delivery.')
    const ageMaxS = channels.byName(found.channel)?.policy.age_max_s ?? 86_400
    const expiresAt = new Date(app.clock.now() + ageMaxS * 1_000)
    const channelId = await retryDelivery(app.db, auditActor(call), params.id, expiresAt)
    if (!channelId) throw wrongState(found.status, 'retried')
    if (channels.isOpen(channelId)) channels.wake(channelId)
    feed.wake()
    return { ok: true }
  },
})

export const cancel = route({
  ...shared,
  method: 'POST',
  path: '/v1/admin/deliveries/:id/cancel',
  summary: 'Cancel a delivery',
  access: admin('deliveries.write'),
  params: Params,
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { app, params, principal } = call
    const { channels, feed } = app.services
    const channelId = await cancelDelivery(app.db, auditActor(call), params.id)
    if (!channelId) {
      const found = await readDelivery(app.db, principal.workspaceId, params.id)
      throw found ? wrongState(found.status, 'cancelled') : notFound('There is no such delivery.')
    }
    // Later answers of the conversation have waited for this one.
    if (channels.isOpen(channelId)) channels.wake(channelId)
    feed.wake()
    return { ok: true }
  },
})

function wrongState(status: string, change: string): ApiError {
  return new ApiError('wrong_state', `A delivery with the status ${status} cannot be ${change}.`)
}
