/**
 * Subscriptions by id: one producer, one reader, neither knowing the other. This is how a turn's deltas reach the edge
 * without a callback in a message. The reader subscribes first, under an id it made; items are plain data.
 */

export interface StreamReader<Item> {
  /** Called in order; false means "slow": the producer hears it and nothing more comes until `resume`. */
  item(item: Item): boolean
  /** The last call, once; `error` when the producer failed. */
  end(error?: Error): void
}

export interface Subscription {
  /** The reader has room again. */
  resume(): void
  /** The reader goes away: from here on items go nowhere. */
  leave(): void
}

export interface StreamWriter<Item> {
  /**
   * False: the reader is slow. The item was taken; the producer stops until `onRoom` fires. What it still writes
   * meanwhile (the rest of a network read) is held, so the producer's own read size is the bound.
   */
  write(item: Item): boolean
  /** Fires each time there is room again after `write` returned false. One listener. */
  onRoom(fire: () => void): void
  end(error?: Error): void
}

export interface Streams {
  /** @throws when the id has a reader already */
  subscribe<Item>(id: string, reader: StreamReader<Item>): Subscription
  /** The producer's end. Nobody subscribed, or nobody any more: what is written goes nowhere and nothing is kept. */
  open<Item>(id: string): StreamWriter<Item>
  /** Streams that have a reader. */
  readonly size: number
}

interface Stream {
  reader: StreamReader<unknown>
  held: unknown[]
  isSlow: boolean
  hasLeft: boolean
  end: { error: Error | undefined } | undefined
  room: (() => void) | undefined
}

const unwatched: StreamWriter<unknown> = { write: () => true, onRoom() {}, end() {} }

export function streams(): Streams {
  const watched = new Map<string, Stream>()

  /** Hands over what is held until the reader is slow or all is gone; then the end, if it has come. */
  function flow(id: string, stream: Stream): void {
    let handed = 0
    while (handed < stream.held.length && !stream.isSlow && !stream.hasLeft) {
      if (!stream.reader.item(stream.held[handed++])) stream.isSlow = true
    }
    stream.held.splice(0, handed)
    if (stream.isSlow || stream.hasLeft) return
    if (stream.end) {
      watched.delete(id)
      stream.reader.end(stream.end.error)
    } else {
      stream.room?.()
    }
  }

  return {
    subscribe(id, reader) {
      if (watched.has(id)) throw new Error(`stream ${id} has a reader already`)
      const stream: Stream = {
        reader: reader as StreamReader<unknown>,
        held: [],
        isSlow: false,
        hasLeft: false,
        end: undefined,
        room: undefined,
      }
      watched.set(id, stream)
      return {
        resume() {
          if (!stream.isSlow || stream.hasLeft) return
          stream.isSlow = false
          flow(id, stream)
        },
        leave() {
          if (stream.hasLeft) return
          stream.hasLeft = true
          stream.held = []
          if (watched.get(id) === stream) watched.delete(id)
          stream.room?.()
        },
      }
    },
    open<Item>(id: string): StreamWriter<Item> {
      const stream = watched.get(id)
      if (!stream) return unwatched as StreamWriter<Item>
      return {
        write(item) {
          if (stream.hasLeft || stream.end) return true
          if (stream.isSlow || stream.held.length > 0) {
            stream.held.push(item)
            return !stream.isSlow
          }
          if (!stream.reader.item(item)) stream.isSlow = true
          return !stream.isSlow
        },
        onRoom(fire) {
          stream.room = fire
        },
        end(error) {
          if (stream.end || stream.hasLeft) return
          stream.end = { error }
          flow(id, stream)
        },
      }
    },
    get size() {
      return watched.size
    },
  }
}
