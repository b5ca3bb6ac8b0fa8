/**
 * Follows the events as they are committed and hands each to those who follow its workspace or its conversation. Reads
 * nothing while nobody follows, and never reads the fields of an event that nobody follows.
 */
import type { Log } from '../../runtime/log/log.ts'
import { atMost } from '../../runtime/time/at-most.ts'
import type { Clock, Timer } from '../../runtime/time/clock.ts'
import type { Database } from '../../store/database.ts'
import type { EventPosition } from '../../store/events/cursor.ts'
import {
  type EventRow,
  eventFields,
  eventsAfter,
  feedName,
  lastPosition,
  type StoredEvent,
} from '../../store/events/events.ts'
import type { ConversationId, WorkspaceId } from '../../store/id.ts'

export interface Follower {
  workspaceId: WorkspaceId
  /** Null: everything in the workspace. */
  conversationId: ConversationId | null
  /** In order; each once. */
  event(event: StoredEvent): void
  /** The service stops: nothing follows. */
  closed(): void
}

export interface FeedTail {
  /** Resolves when the tail runs, and keeps it running until the result is called: `position` says where it is. */
  hold(): Promise<() => void>
  /** Followers have got the events up to here. @throws Error while nobody holds the tail */
  readonly position: EventPosition
  /** Follows from `position` on, without a gap. For whoever holds the tail. */
  follow(follower: Follower): () => void
  /** Something was committed here; commits of other processes are found by polling every quarter of a second. */
  wake(): void
  /** Hands over what is committed by now and closes all followers. Bounded in time. */
  close(): Promise<void>
  /** Names this sequence of events in cursors. For whoever holds the tail. */
  readonly name: string
  readonly followers: number
}

const pageRows = 1_000
const pollMs = 250
const closeMs = 1_000

export function feedTail(parts: { db: Database; clock: Clock; log: Log }): FeedTail {
  const { db, clock, log } = parts
  const byWorkspace = new Map<WorkspaceId, Set<Follower>>()
  const byConversation = new Map<ConversationId, Set<Follower>>()
  let position: EventPosition | undefined
  let starting: Promise<void> | undefined
  let holds = 0
  let followers = 0
  /** Counts new followers: a page whose events were chosen before one came is chosen from again. */
  let arrivals = 0
  let name = ''
  let reading: Promise<void> | undefined
  let isWoken = false
  let timer: Timer | undefined
  let isClosed = false

  async function start(): Promise<void> {
    name ||= await feedName(db)
    position ??= await lastPosition(db)
    pollLater()
  }

  function pollLater(): void {
    timer?.cancel()
    timer = isClosed ? undefined : clock.after(pollMs, poll)
  }

  function poll(): void {
    if (reading) {
      isWoken = true
      return
    }
    if (position === undefined || isClosed) return
    reading = readAll().finally(() => {
      reading = undefined
      pollLater()
    })
  }

  async function readAll(): Promise<void> {
    try {
      for (let isMore = true; isMore; ) {
        isWoken = false
        if (holds === 0) {
          // The next follower begins at the horizon of that moment.
          position = undefined
          return
        }
        isMore = await readPage()
        isMore ||= isWoken
      }
    } catch (error) {
      log.debug({ err: error }, 'events could not be read; the next poll retries')
    }
  }

  async function readPage(): Promise<boolean> {
    if (!position) return false
    const rows = await eventsAfter(db, position, pageRows)
    let events: StoredEvent[] = []
    for (let arrivalsBefore = -1; arrivalsBefore !== arrivals; ) {
      arrivalsBefore = arrivals
      const followed = rows.filter(isFollowed)
      events = followed.length > 0 ? await eventFields(db, followed) : []
    }
    const last = rows.at(-1)
    if (last) position = last.position
    for (const event of events) hand(event)
    return rows.length === pageRows
  }

  function isFollowed(row: EventRow): boolean {
    return byWorkspace.has(row.workspaceId) || (row.conversationId !== null && byConversation.has(row.conversationId))
  }

  function hand(event: StoredEvent): void {
    for (const follower of byWorkspace.get(event.workspaceId) ?? []) follower.event(event)
    if (event.conversationId === null) return
    for (const follower of byConversation.get(event.conversationId) ?? []) follower.event(event)
  }

  return {
    async hold() {
      holds++
      let isHeld = true
      const letGo = () => {
        if (isHeld) holds--
        isHeld = false
      }
      try {
        if (!position) {
          starting ??= start().finally(() => {
            starting = undefined
          })
          await starting
        }
        return letGo
      } catch (error) {
        letGo()
        throw error
      }
    },
    get position() {
      if (!position) throw new Error('the tail of events is not running')
      return position
    },
    follow(follower) {
      if (isClosed) {
        follower.closed()
        return () => {}
      }
      const add = <Key>(index: Map<Key, Set<Follower>>, key: Key): (() => void) => {
        const all = index.get(key) ?? new Set()
        index.set(key, all)
        all.add(follower)
        return () => {
          all.delete(follower)
          if (all.size === 0 && index.get(key) === all) index.delete(key)
        }
      }
      followers++
      arrivals++
      const remove =
        follower.conversationId === null
          ? add(byWorkspace, follower.workspaceId)
          : add(byConversation, follower.conversationId)
      let hasLeft = false
      return () => {
        if (hasLeft) return
        hasLeft = true
        followers--
        remove()
      }
    },
    wake: poll,
    async close() {
      if (isClosed) return
      poll()
      if (reading) await atMost(closeMs, reading, { clock })
      isClosed = true
      timer?.cancel()
      for (const index of [byWorkspace, byConversation]) {
        for (const all of index.values()) for (const follower of [...all]) follower.closed()
      }
    },
    get name() {
      return name
    },
    get followers() {
      return followers
    },
  }
}
