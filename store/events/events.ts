/** Events that clients follow, read in an order in which no row can appear behind a reader's back. */
import type { Database } from '../database.ts'
import { type ChannelId, type ConversationId, idFrom, uuidOf, type WorkspaceId } from '../id.ts'
import { type HeldKey, isHeld } from '../nodes/slots.ts'
import type { Query } from '../postgres/query.ts'
import { type EventPosition, feedStart } from './cursor.ts'

/** What a reader needs to know whether somebody wants the rest. */
export interface EventRow {
  position: EventPosition
  kind: string
  workspaceId: WorkspaceId
  conversationId: ConversationId | null
  channelId: ChannelId | null
}

/** An event with the fields of what it is about. */
export interface StoredEvent extends EventRow {
  at: Date
  channel: string | null
  data: Record<string, unknown>
}

interface PlainRow {
  xid: string
  id: string
  kind: string
  workspace_id: string
  conversation_id: string | null
  channel_id: string | null
}

/** Which sequence of events this database holds: restored elsewhere, its numbers mean nothing. */
export async function feedName(db: Database): Promise<string> {
  const [row] = await db.system<{ name: string }>`
    select left(md5(event_feed.id::text || (select oid from pg_database where datname = current_database()) || system_identifier), 8) as name
    from event_feed, pg_control_system()`
  if (!row) throw new Error('the database has no feed of events')
  return row.name
}

/**
 * Events of earlier transactions than this one are all there for a statement that is sent after this has resolved. One of
 * its own: what has ended between the two is seen by the second.
 */
export async function eventHorizon(db: Database): Promise<bigint> {
  const [row] = await db.system<{ xid: string }>`select service_event_horizon()::text as xid`
  return BigInt(row?.xid ?? 0)
}

/**
 * The last event that can be read: what is written from now on comes behind it. Not the snapshot's horizon itself: a server
 * that crashed gives transaction numbers again that nobody had written with.
 * Where all events were deleted it is the last of those, or their reader would be told that it has missed something.
 */
export async function lastPosition(db: Database): Promise<EventPosition> {
  const horizon = await eventHorizon(db)
  const [row] = await db.system<{ xid: string; id: string }>`
    select known.xid::text, known.id::text from (
      (select xid, id from events where xid < ${horizon.toString()}::text::xid8 order by xid desc, id desc limit 1)
      union all select deleted_xid, deleted_id from event_feed
    ) as known order by known.xid desc, known.id desc limit 1`
  return row ? { xid: BigInt(row.xid), id: BigInt(row.id) } : feedStart
}

/** Events up to this one are deleted; a reader that stands before it has missed some. */
export async function deletedUpTo(db: Database): Promise<EventPosition> {
  const [row] = await db.system<{ xid: string; id: string }>`
    select deleted_xid::text as xid, deleted_id::text as id from event_feed`
  return { xid: BigInt(row?.xid ?? 0), id: BigInt(row?.id ?? 0) }
}

/** The events of all workspaces behind `after` that can be read, at most `limit`, in order. */
export async function eventsAfter(db: Database, after: EventPosition, limit: number): Promise<EventRow[]> {
  const horizon = await eventHorizon(db)
  const rows = await db.system<PlainRow>`
    select xid::text, id::text, kind, workspace_id, conversation_id, channel_id from events
    where (xid, id) > (${after.xid.toString()}::text::xid8, ${after.id.toString()}::bigint)
      and xid < ${horizon.toString()}::text::xid8
    order by events.xid, events.id limit ${limit}`
  return rows.map(eventRow)
}

export interface EventFilter {
  kinds: readonly string[] | null
  conversationId: ConversationId | null
  channelId: ChannelId | null
  /** Of these kinds none. */
  without?: readonly string[]
}

/** Events of one workspace behind `after` and up to `upTo`, to which everything can be read, with all fields. */
export async function eventsBetween(
  db: Database,
  workspace: WorkspaceId,
  filter: EventFilter,
  range: { after: EventPosition; upTo: EventPosition; limit: number },
): Promise<StoredEvent[]> {
  const { after, upTo, limit } = range
  return await withFields(
    db.forWorkspace(workspace),
    await db.forWorkspace(workspace)<PlainRow>`
      select xid::text, id::text, kind, workspace_id, conversation_id, channel_id from events
      where workspace_id = ${uuidOf(workspace)}
        and (xid, id) > (${after.xid.toString()}::text::xid8, ${after.id.toString()}::bigint)
        and (xid, id) <= (${upTo.xid.toString()}::text::xid8, ${upTo.id.toString()}::bigint)
        and (${filter.conversationId && uuidOf(filter.conversationId)}::uuid is null or conversation_id = ${filter.conversationId && uuidOf(filter.conversationId)}::uuid)
        and (${filter.channelId && uuidOf(filter.channelId)}::uuid is null or channel_id = ${filter.channelId && uuidOf(filter.channelId)}::uuid)
        and (${filter.kinds as string[] | null}::text[] is null or kind = any(${filter.kinds as string[] | null}::text[]))
        and kind <> all(${filter.without ?? []}::text[])
      order by events.xid, events.id limit ${limit}`,
  )
}

/** The same events with all their fields, in the order given. */
export function eventFields(db: Database, rows: readonly EventRow[]): Promise<StoredEvent[]> {
  return withFields(
    db.system,
    rows.map(({ position }) => ({ xid: position.xid.toString(), id: position.id.toString() })),
  )
}

interface FullRow extends PlainRow {
  at: Date
  channel: string | null
  subject: string | null
  payload: Record<string, unknown> | null
  message_seq: number | null
  message_role: string | null
  message_body: Record<string, unknown> | null
  message_turn: string | null
  turn_fields: Record<string, unknown> | null
  delivery_message: string | null
  delivery_fields: Record<string, unknown> | null
}

async function withFields(query: Query, keys: readonly { xid: string; id: string }[]): Promise<StoredEvent[]> {
  if (keys.length === 0) return []
  const rows = await query<FullRow>`
    select events.xid::text, events.id::text, events.kind, events.workspace_id, events.conversation_id, events.channel_id,
      events.at, channels.name as channel, events.subject, events.payload,
      messages.seq as message_seq, messages.role as message_role, messages.turn_id as message_turn,
      case when octet_length(messages.body::text) < ${bodyBytesMax}::integer then messages.body end as message_body,
      case when turns.id is not null then jsonb_build_object('status', turns.status, 'model', turns.model,
        'prompt_tokens', turns.prompt_tokens, 'completion_tokens', turns.completion_tokens, 'finish_reason', turns.finish_reason,
        'duration_ms', turns.duration_ms) end as turn_fields,
      deliveries.message_id as delivery_message,
      case when deliveries.id is not null then jsonb_build_object('attempts', deliveries.attempts, 'reason', deliveries.reason) end as delivery_fields
    from unnest(${keys.map(({ xid }) => xid)}::text[]::xid8[], ${keys.map(({ id }) => id)}::bigint[]) as wanted (xid, id)
    join events on events.xid = wanted.xid and events.id = wanted.id
    left join channels on channels.id = events.channel_id
    left join messages on events.kind = 'message.created' and messages.id = events.subject
    left join turns on events.kind in ('turn.completed', 'turn.failed', 'turn.cancelled', 'turn.interrupted') and turns.id = events.subject
    left join deliveries on events.kind like 'delivery.%' and deliveries.id = events.subject
    order by events.xid, events.id`
  return rows.map(storedEvent)
}

/** A longer message is named, not told: an event stays below 64 KiB. */
const bodyBytesMax = 49_152

function eventRow(row: PlainRow): EventRow {
  return {
    position: { xid: BigInt(row.xid), id: BigInt(row.id) },
    kind: row.kind,
    workspaceId: idFrom('ws', row.workspace_id),
    conversationId: idFrom('conv', row.conversation_id),
    channelId: idFrom('chan', row.channel_id),
  }
}

function storedEvent(row: FullRow): StoredEvent {
  return { ...eventRow(row), at: row.at, channel: row.channel, data: { ...dataOf(row), ...row.payload } }
}

function dataOf(row: FullRow): Record<string, unknown> {
  if (row.subject === null) return {}
  const [what] = row.kind.split('.')
  if (what === 'message') {
    return {
      message_id: idFrom('msg', row.subject),
      turn_id: idFrom('turn', row.message_turn),
      seq: row.message_seq,
      role: row.message_role,
      ...(row.message_body ? { message: row.message_body } : { is_too_long: true }),
    }
  }
  if (what === 'audit') return { audit_id: idFrom('aud', row.subject) }
  if (what === 'turn') return { turn_id: idFrom('turn', row.subject), ...row.turn_fields }
  if (what === 'delivery') {
    return {
      delivery_id: idFrom('dlv', row.subject),
      message_id: idFrom('msg', row.delivery_message),
      ...row.delivery_fields,
    }
  }
  return {}
}

/** Tells which settings took effect anew; not what they are. */
export async function writeSettingsChanged(
  db: Database,
  held: HeldKey,
  workspace: WorkspaceId,
  keys: readonly string[],
): Promise<void> {
  await db.system`
    insert into events (workspace_id, kind, payload)
    select ${uuidOf(workspace)}::uuid, 'settings.changed', ${JSON.stringify({ keys })}::text::json where ${isHeld(held)}`
}

/** Deletes the oldest events that are older than `before`, at most `limit`. @returns how many */
export async function deleteEvents(db: Database, held: HeldKey, before: Date, limit: number): Promise<number> {
  const [row] = await db.system<{ deleted: number }>`
    with old as (
      select xid, id, at from events where ${isHeld(held)} order by events.xid, events.id limit ${limit}
    ), gone as (
      delete from events using old where events.xid = old.xid and events.id = old.id and old.at < ${before}
      returning events.xid, events.id
    ), last as (
      select xid, id from gone order by xid desc, id desc limit 1
    ), marked as (
      update event_feed set deleted_xid = last.xid, deleted_id = last.id from last
    )
    select count(*)::integer as deleted from gone`
  return row?.deleted ?? 0
}

/** Forgets what was taken before `before`, at most `limit`: after this long a repeated message is a new one. */
export async function deleteInboundKeys(db: Database, held: HeldKey, before: Date, limit: number): Promise<number> {
  const rows = await db.system<{ key: string }>`
    delete from inbound where key in (select key from inbound where ${isHeld(held)} and at < ${before} limit ${limit}) returning key`
  return rows.length
}
