/**
 * The events of a response while it comes, for all who read them: whoever created it, and who comes back later. Events of
 * a stored response are kept up to a bound, so that it can be read again from any place; a slow reader then waits for
 * nobody. Of one that is not kept the model waits for its slowest reader.
 */
import type { TurnDelta } from '../../actors/turn/messages.ts'
import type { StreamReader, Subscription } from '../../runtime/actor/streams.ts'
import type { Clock, Timer } from '../../runtime/time/clock.ts'
import type { StreamWriter } from '../server/stream-writer.ts'
import type { ResponseEvents } from './events.ts'

/** A heartbeat is sent after 15 s of silence, to the nearest tick. */
const tickMs = 5_000
const silentTicksMax = 3
const heartbeat = ': waiting for the model\n\n'

/** Past it the events of a response are no longer kept. */
const keptCharactersMax = 4_194_304

/** What may wait for the slowest reader, where nothing is kept. */
const waitingCharactersMax = 65_536

interface Kept {
  /** Of its first event. */
  sequence: number
  text: string
}

class Follower {
  /** Of the next kept text that it gets. */
  position = 0
  readonly #live: LiveResponse
  readonly #out: StreamWriter
  #isPumping = false

  constructor(live: LiveResponse, out: StreamWriter, position: number) {
    this.#live = live
    this.#out = out
    this.position = position
  }

  readonly pump = (): void => {
    if (this.#isPumping) return
    this.#isPumping = true
    while (true) {
      const text = this.#live.textAt(this.position)
      if (text === undefined) break
      this.position++
      if (this.#out.write(text)) continue
      this.#out.onDrain(this.#drained)
      return
    }
    this.#isPumping = false
    if (this.#live.isOver) this.#out.end()
    this.#live.hasRead()
  }

  heartbeat(): void {
    if (!this.#isPumping) this.#out.write(heartbeat)
  }

  readonly #drained = (): void => {
    this.#isPumping = false
    this.pump()
  }
}

export class LiveResponse implements StreamReader<TurnDelta> {
  /** Resolves at the first delta or heartbeat: from then on the answer is a stream. */
  readonly opened: Promise<void>
  /** Resolves when the turn is stored. */
  readonly accepted: Promise<void>
  /** Resolves when everything that the turn wrote has been passed on. */
  readonly ended: Promise<void>
  readonly events: ResponseEvents
  isOver = false
  characters = 0
  readonly #clock: Clock
  readonly #open: () => void
  readonly #accept: () => void
  readonly #end: () => void
  readonly #followers = new Set<Follower>()
  #isKept: boolean
  /** Whoever creates it reads it, and has not begun: until then nothing is dropped. */
  #isExpected: boolean
  #kept: Kept[] = []
  /** How many were dropped before the first of `#kept`. */
  #dropped = 0
  #subscription: Subscription | undefined
  #isWaiting = false
  #silentTicks = 0
  #tick: Timer

  constructor(
    events: ResponseEvents,
    { clock, isKept, isExpected }: { clock: Clock; isKept: boolean; isExpected: boolean },
  ) {
    this.events = events
    this.#clock = clock
    this.#isKept = isKept
    this.#isExpected = isExpected
    const opened = Promise.withResolvers<void>()
    const accepted = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    this.opened = opened.promise
    this.accepted = accepted.promise
    this.ended = ended.promise
    this.#open = opened.resolve
    this.#accept = accepted.resolve
    this.#end = ended.resolve
    this.#tick = clock.after(tickMs, this.#onTick)
    this.#keep(0, events.opening())
  }

  subscribed(subscription: Subscription): void {
    this.#subscription = subscription
  }

  // ---- StreamReader ----

  item(delta: TurnDelta): boolean {
    if (delta.kind === 'accepted') {
      this.#accept()
      return true
    }
    this.#silentTicks = 0
    this.#open()
    const { sequence } = this.events
    const text = this.events.delta(delta)
    if (text !== '') this.#add(sequence, text)
    this.#isWaiting = !this.#isKept && this.characters >= waitingCharactersMax
    return !this.#isWaiting
  }

  end(): void {
    this.#end()
  }

  // ---- whoever runs it ----

  /** The last events; those who follow get them, and their streams end. */
  finish(write: (events: ResponseEvents) => string): void {
    if (this.isOver) return
    const { sequence } = this.events
    const text = write(this.events)
    this.stop()
    this.#add(sequence, text)
  }

  /** No more heartbeats, no more deltas. */
  stop(): void {
    this.isOver = true
    this.#tick.cancel()
    this.#subscription?.leave()
    this.#end()
  }

  // ---- readers ----

  /** False: the events behind that place are not kept. @param after the sequence number of the last event that it has; -1: none */
  canFollow(after: number): boolean {
    return this.#isKept || (this.#dropped === 0 && after < 0)
  }

  follow(out: StreamWriter, after: number): void {
    this.#isExpected = false
    let at = this.#kept.findIndex(({ sequence }) => sequence > after)
    if (at < 0) at = this.#kept.length
    // The one before it may hold events behind that place too.
    const split = at > 0 ? eventsAfter(this.#kept[at - 1], after) : ''
    if (split !== '') out.write(split)
    const follower = new Follower(this, out, this.#dropped + at)
    this.#followers.add(follower)
    out.signal.addEventListener('abort', () => this.#leave(follower), { once: true })
    follower.pump()
  }

  /** Whoever created it has left before its first event. */
  unexpected(): void {
    this.#isExpected = false
    this.hasRead()
  }

  textAt(position: number): string | undefined {
    return this.#kept[position - this.#dropped]?.text
  }

  /** A reader has all that there is. */
  hasRead(): void {
    if (this.#isKept || this.#isExpected) return
    let least = this.#dropped + this.#kept.length
    for (const { position } of this.#followers) least = Math.min(least, position)
    const read = this.#kept.splice(0, least - this.#dropped)
    this.#dropped = least
    for (const { text } of read) this.characters -= text.length
    if (!this.#isWaiting || this.characters >= waitingCharactersMax) return
    this.#isWaiting = false
    this.#subscription?.resume()
  }

  #leave(follower: Follower): void {
    this.#followers.delete(follower)
    this.hasRead()
  }

  #add(sequence: number, text: string): void {
    this.#keep(sequence, text)
    for (const follower of this.#followers) follower.pump()
    // Without followers nobody else drops what is no longer kept, and the model would wait for ever.
    this.hasRead()
  }

  #keep(sequence: number, text: string): void {
    this.#kept.push({ sequence, text })
    this.characters += text.length
    if (this.characters > keptCharactersMax) this.#isKept = false
  }

  readonly #onTick = (): void => {
    this.#silentTicks++
    if (this.#silentTicks >= silentTicksMax) {
      this.#silentTicks = 0
      this.#open()
      for (const follower of this.#followers) follower.heartbeat()
    }
    this.#tick = this.#clock.after(tickMs, this.#onTick)
  }
}

/** Those of the events in one text that come behind a sequence number. */
function eventsAfter(kept: Kept | undefined, after: number): string {
  if (!kept) return ''
  const events = kept.text.split(/(?<=\n\n)/)
  let { sequence } = kept
  return events.filter((event) => event.startsWith(':') || sequence++ > after).join('')
}
