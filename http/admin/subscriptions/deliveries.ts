/** What subscriptions were sent: deliveries with their attempts, a test, a retry by hand. */
import { z } from 'zod'
import { atMost } from '../../../runtime/time/at-most.ts'
import { seconds } from '../../../runtime/time/duration.ts'
import { Disposition } from '../../../store/deliveries/deliveries.ts'
import { AlertId, SubscriptionDeliveryId, SubscriptionId, uuidOf } from '../../../store/id.ts'
import {
  attemptsOfNotice,
  listNotices,
  type NoticeRecord,
  readNotice,
  retryNotice,
} from '../../../store/subscriptions/reads.ts'
import { admin } from '../../access.ts'
import { ApiError, notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { found } from './routes.ts'

const tag = 'subscriptions'

/** Fits into the default deadline of a request. */
const testMs = seconds(12)
const wordsCharactersMax = 500

export const NoticeView = z.object({
  id: SubscriptionDeliveryId,
  subscription_id: SubscriptionId,
  event_kind: z.string(),
  event_at: z.iso.datetime(),
  status: Disposition,
  attempts: z.int(),
  status_code: z.int().nullable().describe('Of the last answer.'),
  reason: z.string().nullable().describe('Why the last attempt failed.'),
  next_at: z.iso.datetime().nullable().describe('The next attempt; null: none is planned.'),
  expires_at: z.iso.datetime(),
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

export function noticeView(row: NoticeRecord): z.infer<typeof NoticeView> {
  const isWaiting = row.status === 'pending' || row.status === 'failed'
  return {
    id: row.id,
    subscription_id: row.subscriptionId,
    event_kind: row.eventKind,
    event_at: row.eventAt.toISOString(),
    status: row.status,
    attempts: row.attempts,
    status_code: row.statusCode,
    reason: row.reason,
    next_at: isWaiting ? row.nextAt.toISOString() : null,
    expires_at: row.expiresAt.toISOString(),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}

export const listSubscriptionDeliveries = route({
  method: 'GET',
  path: '/v1/admin/subscriptions/deliveries',
  summary: 'List what subscriptions were sent, newest first',
  tag,
  access: admin('webhooks.read'),
  query: z.object({
    subscription_id: SubscriptionId.optional(),
    status: Disposition.optional(),
    alert_id: AlertId.optional().describe('What was sent about this alert.'),
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: SubscriptionDeliveryId.optional(),
  }),
  answers: { 200: z.object({ items: z.array(NoticeView), next_cursor: z.string().nullable() }) },
  async handle({ app, query, principal }) {
    const filter = {
      subscriptionId: query.subscription_id ?? null,
      status: query.status ?? null,
      subject: query.alert_id ? uuidOf(query.alert_id) : null,
    }
    const page = { before: query.cursor ?? null, limit: query.limit + 1 }
    const rows = await listNotices(app.db, principal.workspaceId, filter, page)
    const items = rows.slice(0, query.limit)
    return { items: items.map(noticeView), next_cursor: rows.length > query.limit ? (items.at(-1)?.id ?? null) : null }
  },
})

export const readSubscriptionDelivery = route({
  method: 'GET',
  path: '/v1/admin/subscriptions/deliveries/:delivery_id',
  summary: 'Read one of these with its attempts',
  tag,
  access: admin('webhooks.read'),
  params: z.object({ delivery_id: SubscriptionDeliveryId }),
  answers: { 200: NoticeView.extend({ tries: z.array(AttemptView) }) },
  async handle({ app, params, principal }) {
    const row = await readNotice(app.db, principal.workspaceId, params.delivery_id)
    if (!row) throw notFound('There is no such delivery.')
    const tries = await attemptsOfNotice(app.db, principal.workspaceId, params.delivery_id)
    return {
      ...noticeView(row),
      tries: tries.map(({ attempt, at, durationMs, outcome, statusCode, error }) => ({
        ...{ attempt, at: at.toISOString(), duration_ms: durationMs, outcome, status_code: statusCode, error },
      })),
    }
  },
})

export const retrySubscriptionDelivery = route({
  method: 'POST',
  path: '/v1/admin/subscriptions/deliveries/retry',
  summary: 'Send one of these again',
  description: 'One that waits or was given up. Its attempts count from zero again.',
  tag,
  access: admin('webhooks.write'),
  body: z.strictObject({ delivery_id: SubscriptionDeliveryId }),
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { app, body, principal } = call
    if (await retryNotice(app.db, auditActor(call), body.delivery_id)) return { ok: true }
    const row = await readNotice(app.db, principal.workspaceId, body.delivery_id)
    if (!row) throw notFound('There is no such delivery.')
    throw new ApiError('wrong_state', `A delivery with the status ${row.status} cannot be retried.`)
  },
})

export const testSubscription = route({
  method: 'POST',
  path: '/v1/admin/subscriptions/test',
  summary: 'Test a subscription',
  description: 'Sends a `subscription.test` at once, signed as events are, and says what came of it. It is tried once.',
  tag,
  access: admin('webhooks.write'),
  body: z.strictObject({ subscription_id: SubscriptionId }),
  answers: {
    200: z.object({
      is_ok: z.boolean(),
      words: z.string().describe('What the receiver answered, or what failed.'),
      duration_ms: z.int(),
    }),
  },
  async handle(call) {
    const { app, body, signal } = call
    const subscription = await found(call, body.subscription_id)
    const startedMs = app.clock.elapsed()
    const done = (is_ok: boolean, words: string) => ({
      is_ok,
      words: words.slice(0, wordsCharactersMax),
      duration_ms: Math.round(app.clock.elapsed() - startedMs),
    })
    const limit = new AbortController()
    const onLate = () => {
      limit.abort()
      throw new Error(`no answer in ${testMs / 1_000} s`)
    }
    try {
      const test = app.services.notices.test(subscription, AbortSignal.any([signal, limit.signal]))
      const { statusCode } = await atMost(testMs, test, { clock: app.clock, onLate })
      return done(true, `the receiver answered ${statusCode}`)
    } catch (error) {
      signal.throwIfAborted()
      // That it failed is the result, not an error of this request.
      return done(false, error instanceof Error ? error.message : String(error))
    }
  },
})
