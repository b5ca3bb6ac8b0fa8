/** Follows events for one reader: first the missed ones at its pace, then new ones as they come, without gaps or repeats. */
import type { Services } from '../../actors/services.ts'
import { cursorOf, type EventPosition, isBehind, parseCursor } from '../../store/events/cursor.ts'
import {
  deletedUpTo,
  type EventFilter,
  eventsBetween,
  lastPosition,
  type StoredEvent,
} from '../../store/events/events.ts'
import type { WorkspaceId } from '../../store/id.ts'
import { badRequest } from '../error.ts'

/** Sends events to a reader. */
export interface EventSink {
  /**
   * False: the reader is slow. A replay waits for `room`; live events do not.
   * @param place appended to the cursor
   */
  event(event: StoredEvent, place?: string): boolean
  /** The event of the reader's cursor is gone: the reader has missed events, and continues from `cursor`. */
  reset(reason: 'expired' | 'unknown', cursor: string): void
  /** The reader has everything up to here; live events follow. */
  live(position: EventPosition, place?: string): void
  room(): Promise<void>
  end(): void
  readonly signal: AbortSignal
}

export interface FollowRequest {
  workspaceId: WorkspaceId
  filter: EventFilter
  /** Empty: only new events. */
  cursor: string
}

const pageEvents = 500
const eventIdMax = 2n ** 63n - 1n

/** Resolves when the reader is gone or the service stops. @throws ApiError 400 for an invalid cursor */
export async function follow(services: Services, request: FollowRequest, sink: EventSink): Promise<void> {
  const { feed } = services
  const release = await feed.hold()
  try {
    const position = await startOf(services, request.cursor, sink)
    const caughtUp = await replay(services, request, sink, position)
    if (!sink.signal.aborted) await tail(services, request, sink, caughtUp)
  } finally {
    release()
  }
}

async function startOf({ feed, db }: Services, cursor: string, sink: EventSink): Promise<EventPosition> {
  if (cursor === '') return feed.position
  const parsed = parseCursor(feed.name, cursor)
  if (parsed === undefined) throw badRequest('This is not a cursor of a feed.', 'cursor')
  const isKnown = parsed !== null && !(await isUnknown(feed.position, db, parsed))
  if (isKnown && !isBehind(parsed, await deletedUpTo(db))) return parsed
  const { position } = feed
  sink.reset(isKnown ? 'expired' : 'unknown', cursorOf(feed.name, position))
  return position
}

/** No event has reached this position: the database was restored to an earlier day, or the cursor was made up. */
async function isUnknown(reached: EventPosition, db: Services['db'], named: EventPosition): Promise<boolean> {
  if (named.id > eventIdMax) return true
  // Another process may be ahead of this one.
  return isBehind(reached, named) && isBehind(await lastPosition(db), named)
}

async function replay(
  { feed, db }: Services,
  { workspaceId, filter }: FollowRequest,
  sink: EventSink,
  from: EventPosition,
): Promise<EventPosition> {
  let position = from
  while (isBehind(position, feed.position) && !sink.signal.aborted) {
    const upTo = feed.position
    const events = await eventsBetween(db, workspaceId, filter, { after: position, upTo, limit: pageEvents })
    for (const event of events) if (!sink.event(event)) await sink.room()
    position = events.length === pageEvents ? (events.at(-1)?.position ?? upTo) : upTo
  }
  return position
}

/** Called in the turn of the loop in which the reader caught up, so that no event is missed in between. */
function tail({ feed }: Services, request: FollowRequest, sink: EventSink, position: EventPosition): Promise<void> {
  const { filter, workspaceId } = request
  return new Promise((resolve) => {
    let leave = () => {}
    const done = () => {
      leave()
      resolve()
    }
    sink.live(position)
    leave = feed.follow({
      workspaceId,
      conversationId: filter.conversationId,
      event(event) {
        if (event.workspaceId === workspaceId && isBehind(position, event.position) && passes(filter, event))
          sink.event(event)
      },
      closed() {
        sink.end()
        done()
      },
    })
    if (sink.signal.aborted) done()
    else sink.signal.addEventListener('abort', done, { once: true })
  })
}

function passes({ kinds, channelId, without = [] }: EventFilter, { kind, ...event }: StoredEvent): boolean {
  if (without.includes(kind)) return false
  return (kinds === null || kinds.includes(kind)) && (channelId === null || event.channelId === channelId)
}
