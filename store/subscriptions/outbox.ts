/**
 * The outbox of subscriptions: events become deliveries, once for each subscription, and each is claimed, attempted and recorded
 * under the lease of its subscription's slot, as the deliveries of channels are.
 */
import type { Database } from '../database.ts'
import type { Attempt } from '../deliveries/deliveries.ts'
import { openDispositions } from '../deliveries/deliveries.ts'
import type { EventPosition } from '../events/cursor.ts'
import { eventHorizon } from '../events/events.ts'
import { insertEvents } from '../events/insert.ts'
import {
  idFrom,
  newSubscriptionDeliveryId,
  type RowOf,
  type SubscriptionDeliveryId,
  type SubscriptionId,
  uuidOf,
  type WorkspaceId,
} from '../id.ts'
import { type HeldKey, isHeld } from '../nodes/slots.ts'
import { safeText } from '../postgres/safe-text.ts'
import { sql } from '../postgres/sql.ts'
import type { QuietHours } from './subscriptions.ts'

/** Events of one round. */
const pageMax = 2_000
/** Deliveries of one round, and those of its last event: the statement must not take longer than statements may. */
const deliveriesMax = 2_000

/** Given up after this long: long enough for a weekend without anybody, shorter than the events are kept. */
const ageMs = 72 * 3_600_000

interface Follower {
  id: string
  workspaceId: string
  eventKinds: string[]
  quietHours: QuietHours | null
  xid: string
  position: string
}

export interface PassedEvent {
  xid: string
  id: string
  kind: string
  workspaceId: string
  subject: string | null
  at: Date
  isSilenced: boolean
  isUrgent: boolean
}

interface FanOut {
  /** There may be more. */
  isMore: boolean
  deliveries: number
}

/** As many as a subscription is sent in three hours: a receiver that takes none would fill the disk with what waits for it. */
export const waitingMax = 100_000

/** Subscriptions for which as many wait as may. */
export async function fullOutboxes(db: Database, max = waitingMax): Promise<Set<SubscriptionId>> {
  const rows = await db.system<{ id: string }>`
    select id from subscriptions where is_enabled and exists (
      select from subscription_deliveries where subscription_id = subscriptions.id and status in ${openDispositions}
      offset ${max - 1} limit 1)`
  return new Set(rows.map(({ id }) => idFrom('sub', id)))
}

/**
 * Makes deliveries of the events behind the subscriptions' cursors, and moves the cursors, in one statement: a node that has lost
 * the slot meanwhile changes nothing.
 * @param options `full`: these get none, and the events are left out for them
 * @param heldUntil when a delivery that may wait is sent first; null: at once
 */
export async function fanOutEvents(
  db: Database,
  held: HeldKey,
  heldUntil: (quiet: QuietHours | null, event: PassedEvent) => Date | null,
  { max = deliveriesMax, full }: { max?: number; full?: ReadonlySet<SubscriptionId> } = {},
): Promise<FanOut> {
  const followers = await db.system<Follower>`
    select id, workspace_id as "workspaceId", event_kinds as "eventKinds", quiet_hours as "quietHours",
      cursor_xid::text as xid, cursor_id::text as position
    from subscriptions where is_enabled order by cursor_xid, cursor_id`
  const [first] = followers
  if (!first) return { isMore: false, deliveries: 0 }
  const events = await passedEvents(db, { xid: BigInt(first.xid), id: BigInt(first.position) })
  const open = followers.filter(({ id }) => !full?.has(idFrom('sub', id)))
  const ofWorkspace = Map.groupBy(open, ({ workspaceId }) => workspaceId)
  const rows: object[] = []
  let last: PassedEvent | undefined
  for (const event of events) {
    if (rows.length >= max) break
    for (const follower of ofWorkspace.get(event.workspaceId) ?? []) {
      if (!isWanted(follower, event)) continue
      rows.push({
        id: uuidOf(newSubscriptionDeliveryId()),
        subscription: follower.id,
        xid: event.xid,
        position: event.id,
        next_at: heldUntil(follower.quietHours, event),
      })
    }
    last = event
  }
  if (!last) return { isMore: false, deliveries: 0 }
  const [made] = await db.system<{ deliveries: number }>`
    with passed as materialized (
      update subscriptions set cursor_xid = ${last.xid}::text::xid8, cursor_id = ${last.id}::bigint
      where ${isHeld(held)} and id = any(${followers.map(({ id }) => id)}::uuid[])
        and (cursor_xid, cursor_id) < (${last.xid}::text::xid8, ${last.id}::bigint)
      returning id
    ), made as (
      insert into subscription_deliveries (id, subscription_id, event_xid, event_id, workspace_id, event_kind, event_at, subject,
        next_at, expires_at)
      select row.id, row.subscription, events.xid, events.id, events.workspace_id, events.kind, events.at, events.subject,
        coalesce(row.next_at, now()), greatest(now(), row.next_at) + make_interval(secs => ${ageMs / 1_000})
      from json_to_recordset(${JSON.stringify(rows)}::text::json)
        as row (id uuid, subscription uuid, xid text, position bigint, next_at timestamptz)
      join passed on passed.id = row.subscription
      join events on events.xid = row.xid::xid8 and events.id = row.position
      on conflict (subscription_id, event_xid, event_id) do nothing
      returning id
    )
    select count(*)::integer as deliveries from made`
  return { isMore: events.length === pageMax || last !== events.at(-1), deliveries: made?.deliveries ?? 0 }
}

function isWanted(follower: Follower, event: PassedEvent): boolean {
  if (event.isSilenced) return false
  const isBehind =
    BigInt(event.xid) < BigInt(follower.xid) ||
    (event.xid === follower.xid && BigInt(event.id) <= BigInt(follower.position))
  if (isBehind) return false
  const [noun] = event.kind.split('.')
  // Whoever is told of alerts at all gets their test.
  if (event.kind === 'alert.test') return follower.eventKinds.some((kind) => kind.startsWith('alert.'))
  return follower.eventKinds.includes(event.kind) || follower.eventKinds.includes(`${noun}.*`)
}

/** Behind `after`, up to where no row can appear any more. What subscriptions tell of themselves is sent to none. */
async function passedEvents(db: Database, after: EventPosition): Promise<PassedEvent[]> {
  const horizon = await eventHorizon(db)
  return await db.system<PassedEvent>`
    select xid::text, id::text, kind, workspace_id as "workspaceId", subject, at,
      case when kind like 'alert.%' then coalesce((payload->>'is_silenced')::boolean, false) else kind like 'subscription.%' end as "isSilenced",
      case when kind like 'alert.%' then coalesce((payload->>'is_urgent')::boolean, false) else true end as "isUrgent"
    from events
    where (xid, id) > (${after.xid.toString()}::text::xid8, ${after.id.toString()}::bigint)
      and xid < ${horizon.toString()}::text::xid8
    order by events.xid, events.id limit ${pageMax}`
}

/** Subscriptions that have something due, or something that a node that has gone left under way. */
export async function dueSubscriptions(db: Database, limit: number): Promise<SubscriptionId[]> {
  const rows = await db.system<{ id: string }>`
    select id from subscriptions where is_enabled and exists (
      select from subscription_deliveries where subscription_id = subscriptions.id and status in ${openDispositions}
        and (status = 'sending' or next_at <= now() or expires_at <= now()))
    limit ${limit}`
  return rows.map(({ id }) => idFrom('sub', id))
}

/** A subscription whose slot is this node's. */
export interface HeldSubscription extends HeldKey {
  key: SubscriptionId
}

export interface ClaimedNotice {
  id: SubscriptionDeliveryId
  workspaceId: WorkspaceId
  event: { xid: string; id: string }
  eventKind: string
  eventAt: Date
  /** Since an operator last retried it: attempts that did not deliver it, and those of them that failed by the receiver. */
  attempts: number
  failures: number
}

const waiting = sql`('pending', 'failed')`

/** Of one thing the oldest comes first: that an alert fired is told before that it resolved. */
const isFirst = sql`(subject is null or not exists (
          select from subscription_deliveries as earlier
          where earlier.subscription_id = subscription_deliveries.subscription_id and earlier.subject = subscription_deliveries.subject
            and earlier.id < subscription_deliveries.id and earlier.status in ${openDispositions}))`

/** Claims what is due, at most `limit`. @param now as of `claimDeliveries` */
export async function claimNotices(
  db: Database,
  held: HeldSubscription,
  limit: number,
  now: Date,
): Promise<ClaimedNotice[]> {
  const { node, lease } = held
  const rows = await db.system<RowOf<ClaimedNotice>>`
    with due as materialized (
      select id from subscription_deliveries
      where ${isHeld(held)} and subscription_id = ${uuidOf(held.key)} and status in ${waiting}
        and next_at <= greatest(now(), ${now}) and ${isFirst}
      order by next_at limit ${limit} for update skip locked
    )
    update subscription_deliveries as taken set status = 'sending', epoch = ${node}::bigint, lease_epoch = ${lease}::bigint, updated_at = now()
    from due where taken.id = due.id and taken.status in ${waiting}
    returning taken.id, workspace_id as "workspaceId", json_build_object('xid', event_xid::text, 'id', event_id::text) as event,
      event_kind as "eventKind", event_at as "eventAt", attempts - attempts_forgiven as attempts,
      case when attempts > attempts_forgiven then (
        select count(*)::integer from subscription_attempts
        where delivery_id = taken.id and attempt > taken.attempts_forgiven and outcome = 'failed'
      ) else 0 end as failures`
  return rows.map((row) => ({ ...row, id: idFrom('out', row.id), workspaceId: idFrom('ws', row.workspaceId) }))
}

/** Puts back what was claimed and not sent. */
export async function releaseNotice(
  db: Database,
  { node, lease }: HeldSubscription,
  delivery: SubscriptionDeliveryId,
  nextAt: Date,
): Promise<void> {
  await db.system`
    update subscription_deliveries set status = case when attempts = 0 then 'pending' else 'failed' end, next_at = ${nextAt}, updated_at = now()
    where id = ${uuidOf(delivery)} and status = 'sending' and epoch = ${node}::bigint and lease_epoch = ${lease}::bigint`
}

const failed = insertEvents(sql`'subscription.failed'`, sql`ended where status = 'undeliverable'`, {
  conversationId: sql`null::uuid`,
  channelId: sql`null::uuid`,
  subject: sql`subscription_id`,
  payload: sql`json_build_object('subscription_id', 'sub_' || replace(subscription_id::text, '-', ''),
    'delivery_id', 'out_' || replace(id::text, '-', ''), 'event_kind', event_kind, 'reason', reason)`,
})

/** @returns false: it is no longer this node's to send, and nothing was written */
export async function recordNotice(
  db: Database,
  { node, lease }: HeldSubscription,
  delivery: SubscriptionDeliveryId,
  attempt: Omit<Attempt, 'delivery' | 'lease'>,
): Promise<boolean> {
  const error = attempt.error && safeText(attempt.error).slice(0, 2_000)
  const rows = await db.system<{ id: string }>`
    with ended as (
      update subscription_deliveries set status = ${attempt.status}, attempts = attempts + 1,
        next_at = coalesce(${attempt.nextAt}::timestamptz, next_at), status_code = ${attempt.statusCode}, reason = ${error}, updated_at = now()
      where id = ${uuidOf(delivery)} and status = 'sending' and epoch = ${node}::bigint and lease_epoch = ${lease}::bigint
      returning id, workspace_id, subscription_id, attempts, status, event_kind, reason
    ), attempt as (
      insert into subscription_attempts (delivery_id, attempt, workspace_id, at, duration_ms, outcome, status_code, error)
      select id, attempts, workspace_id, ${attempt.at}, ${attempt.durationMs}::real, ${attempt.outcome}, ${attempt.statusCode}::integer, ${error}::text from ended
    ), event as (${failed})
    select id from ended`
  return rows.length > 0
}

/** As `recoverDeliveries`: called only while nothing of this subscription is under way. */
export async function recoverNotices(db: Database, held: HeldSubscription, attemptsMax: number): Promise<number> {
  const reason = 'the service stopped while it was sent'
  const [row] = await db.system<{ recovered: number }>`
    with ended as (
      update subscription_deliveries set status = case when attempts - attempts_forgiven + 1 < ${attemptsMax}::integer then 'failed' else 'undeliverable' end,
        attempts = attempts + 1, next_at = now(), reason = ${reason}, updated_at = now()
      where ${isHeld(held)} and subscription_id = ${uuidOf(held.key)} and status = 'sending'
      returning id, workspace_id, subscription_id, attempts, status, event_kind, reason
    ), attempt as (
      insert into subscription_attempts (delivery_id, attempt, workspace_id, at, outcome, error)
      select id, attempts, workspace_id, now(), 'unknown', reason from ended
    ), event as (${failed})
    select count(*)::integer as recovered from ended`
  return row?.recovered ?? 0
}

/** Gives up what has become too old. @returns how many */
export async function expireNotices(db: Database, held: HeldSubscription, limit: number, now: Date): Promise<number> {
  const [row] = await db.system<{ expired: number }>`
    with old as materialized (
      select id from subscription_deliveries
      where ${isHeld(held)} and subscription_id = ${uuidOf(held.key)} and status in ${waiting} and expires_at < greatest(now(), ${now})
      order by next_at limit ${limit} for update skip locked
    ), ended as (
      update subscription_deliveries as each set status = 'undeliverable', updated_at = now(),
        reason = coalesce('too old to be sent; before that: ' || reason, 'too old to be sent')
      from old where each.id = old.id
      returning each.id, workspace_id, subscription_id, status, event_kind, reason
    ), event as (${failed})
    select count(*)::integer as expired from ended`
  return row?.expired ?? 0
}

/** Milliseconds until the next delivery is due; null when nothing waits. */
export async function nextNoticeInMs(db: Database, subscription: SubscriptionId, now: Date): Promise<number | null> {
  const [row] = await db.system<{ wait: number | null }>`
    select extract(epoch from least(min(next_at), min(expires_at)) - greatest(now(), ${now}))::double precision * 1000 as wait
    from subscription_deliveries where subscription_id = ${uuidOf(subscription)} and status in ${waiting} and ${isFirst}`
  return row?.wait ?? null
}

/** Those that ended before `before`, at most `limit`, with their attempts. @returns how many */
export async function deleteNotices(db: Database, held: HeldKey, before: Date, limit: number): Promise<number> {
  const [row] = await db.system<{ deleted: number }>`
    with gone as (
      delete from subscription_deliveries where id in (
        select id from subscription_deliveries
        where ${isHeld(held)} and updated_at < ${before} and status not in ${openDispositions} order by id limit ${limit})
      returning id
    ), attempts as (
      delete from subscription_attempts using gone where subscription_attempts.delivery_id = gone.id
    )
    select count(*)::integer as deleted from gone`
  return row?.deleted ?? 0
}
