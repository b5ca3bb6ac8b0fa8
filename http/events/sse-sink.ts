/** Sends events as server-sent events, with heartbeats while nothing happens and a bounded buffer for a slow reader. */
import type { Clock } from '../../runtime/time/clock.ts'
import { seconds } from '../../runtime/time/duration.ts'
import { every, type Repetition } from '../../runtime/time/every.ts'
import { cursorOf, type EventPosition } from '../../store/events/cursor.ts'
import type { StoredEvent } from '../../store/events/events.ts'
import { caughtUp } from '../edge/write-at-pace.ts'
import type { StreamWriter } from '../server/stream-writer.ts'
import { eventObject, sse } from './event-text.ts'
import type { EventSink } from './follow.ts'

const heartbeatMs = seconds(15)

/** How long a reader waits before it reconnects. */
export const retryLine = 'retry: 2000\n\n'

export class SseSink implements EventSink {
  /** Of the last event that was sent. */
  position: EventPosition | undefined
  readonly #out: StreamWriter
  readonly #feed: () => string
  readonly #heartbeat: Repetition

  constructor(out: StreamWriter, feed: () => string, clock: Clock) {
    this.#out = out
    this.#feed = feed
    this.#heartbeat = every(heartbeatMs, () => out.write(': heartbeat\n\n'), { clock, onError() {} })
    out.signal.addEventListener('abort', () => this.stopHeartbeat(), { once: true })
    out.write(retryLine)
  }

  get signal(): AbortSignal {
    return this.#out.signal
  }

  event(event: StoredEvent, place = ''): boolean {
    this.position = event.position
    const feed = this.#feed()
    return this.write(event.kind, cursorOf(feed, event.position) + place, eventObject(feed, event, place))
  }

  write(kind: string, id: string | undefined, data: object): boolean {
    return this.#out.write(sse(kind, id, data))
  }

  reset(reason: string, cursor: string): void {
    this.write('reset', cursor, { kind: 'reset', cursor, reason })
  }

  live(position: EventPosition, place = ''): void {
    this.position = position
    // So that a reader without events for hours can still resume here.
    const cursor = cursorOf(this.#feed(), position) + place
    this.write('ready', cursor, { kind: 'ready', cursor })
  }

  room(): Promise<void> {
    return caughtUp(this.#out)
  }

  end(): void {
    this.stopHeartbeat()
    this.#out.end()
  }

  /** Called however the stream ends. */
  stopHeartbeat(): void {
    void this.#heartbeat.stop()
  }
}
