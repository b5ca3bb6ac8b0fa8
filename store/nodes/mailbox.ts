/**
 * The mailboxes of nodes: rows that one node writes and another deletes as it reads them, and a notice that it is worth
 * reading. The tables are unlogged: what is in them may be lost, and need not be written to the disk.
 */
import type { Clock } from '../../runtime/time/clock.ts'
import type { Database } from '../database.ts'
import { type Listener, listen } from '../listener.ts'

export interface PostedFrame {
  /** Its epoch; 0: all that read, but the sender. */
  to: number
  bytes: Buffer
}

const channelPrefix = 'service_node_'

/** Who has not read for so long is cut off, and what waits for so long is thrown away. */
const readSWithin = 15
const forgottenS = 60
const framesMax = 64

/** Says that this node reads, and removes what nobody will read any more. */
export async function keepMailbox(db: Database, epoch: number): Promise<void> {
  await db.system`
    with dead as (
      delete from node_mailboxes where read_at < now() - make_interval(secs => ${forgottenS}) and epoch <> ${epoch}
    ), old as (
      delete from node_messages where sent_at < now() - make_interval(secs => ${readSWithin})
    )
    insert into node_mailboxes (epoch) values (${epoch}) on conflict (epoch) do update set read_at = now()`
}

export async function removeMailbox(db: Database, epoch: number): Promise<void> {
  await db.system`
    with gone as (delete from node_mailboxes where epoch = ${epoch})
    delete from node_messages where receiver = ${epoch}`
}

/** One statement for all of them, with one notice a receiver. Frames to whoever does not read are thrown away. */
export async function postFrames(db: Database, from: number, frames: readonly PostedFrame[]): Promise<void> {
  const receivers = frames.map(({ to }) => to)
  // Not as buffers: on a new connection the driver does not know the type of their array yet, and the statement fails.
  const bodies = frames.map(({ bytes }) => bytes.toString('hex'))
  await db.hot`
    with posted as (
      insert into node_messages (receiver, frame)
      select mailbox.epoch, decode(sent.frame, 'hex')
      from unnest(${receivers}::bigint[], ${bodies}::text[]) with ordinality as sent (receiver, frame, place)
      join node_mailboxes mailbox on sent.receiver in (mailbox.epoch, 0)
      where mailbox.epoch <> ${from} and mailbox.read_at > now() - make_interval(secs => ${readSWithin})
      order by sent.place
      returning receiver
    )
    select pg_notify(${channelPrefix} || receiver, '') from (select distinct receiver from posted) as receivers`
}

/** The oldest that wait, in the order of their senders. They are gone with this. */
export async function takeFrames(db: Database, epoch: number): Promise<{ frames: Buffer[]; isMore: boolean }> {
  const rows = await db.hot<{ frame: Buffer }>`
    with next as (
      select receiver, id from node_messages where receiver = ${epoch} order by id limit ${framesMax}
    ), taken as (
      delete from node_messages using next
      where node_messages.receiver = next.receiver and node_messages.id = next.id
      returning node_messages.id, node_messages.frame
    )
    select frame from taken order by id`
  return { frames: rows.map(({ frame }) => frame), isMore: rows.length === framesMax }
}

/** @param options.onNotice something may wait in the mailbox */
export function listenForFrames(
  db: Database,
  epoch: number,
  options: { clock: Clock; onNotice(): void; onLost(): void; onListening(isAgain: boolean): void },
): Promise<Listener> {
  return listen(db.address, { name: 'nodes', channel: `${channelPrefix}${epoch}`, ...options })
}
