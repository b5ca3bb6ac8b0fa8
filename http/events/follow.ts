/** Follows events for one reader: first what it missed, at its pace, then what comes, with no gap between and nothing twice. */
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

/** Where the events of a reader go. */
export interface EventSink {
  /**
   * False: the reader is slow. What is replayed waits for `room`; what comes live does not.
   * @param place what else its cursor holds
   */
  event(event: StoredEvent, place?: string): boolean
  /** What the reader's cursor names is no longer there: it has missed events, and reads on from `cursor`. */
  reset(reason: 'expired' | 'unknown', cursor: string): void
  /** The reader has everything up to here; from now on events come live. */
  live(position: EventPosition, place?: string): void
  room(): Promise<void>
  end(): void
  readonly signal: AbortSignal
}

export interface FollowRequest {
  workspaceId: WorkspaceId
  filter: EventFilter
  /** Empty: only what comes from now on. */
  cursor: string
}

const pageEvents = 500
const eventIdMax = 2n ** 63n - 1n

/** Resolves when the reader is gone or the service stops. @throws ApiError for what is no cursor */
export async function follow(services: Services, following: FollowRequest, sink: EventSink): Promise<void> {
  const { feed } = services
  const letGo = await feed.hold()
  try {
    const position = await startOf(services, following.cursor, sink)
    const caughtUp = await replay(services, following, sink, position)
    if (!sink.signal.aborted) await tail(services, following, sink, caughtUp)
  } finally {
    letGo()
  }
}

async function startOf({ feed, db }: Services, cursor: string, sink: EventSink): Promise<EventPosition> {
  if (cursor === '') return feed.position
  const named = parseCursor(feed.name, cursor)
  if (named === undefined) throw badRequest('This is no cursor of a feed.', 'cursor')
  const isKnown = named !== null && !(await isBeyond(feed.position, db, named))
  if (isKnown && !isBehind(named, await deletedUpTo(db))) return named
  const { position } = feed
  sink.reset(isKnown ? 'expired' : 'unknown', cursorOf(feed.name, position))
  return position
}

/** No event here has such a number yet: the database was restored to an earlier day, or somebody made the cursor up. */
async function isBeyond(reached: EventPosition, db: Services['db'], named: EventPosition): Promise<boolean> {
  if (named.id > eventIdMax) return true
  // Another process may have read further than this one.
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

/** Called with the reader level with the feed, in the same turn of the loop: so nothing falls between. */
function tail({ feed }: Services, following: FollowRequest, sink: EventSink, position: EventPosition): Promise<void> {
  const { filter, workspaceId } = following
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

function passes({ kinds, channelId }: EventFilter, event: StoredEvent): boolean {
  return (kinds === null || kinds.includes(event.kind)) && (channelId === null || event.channelId === channelId)
}
