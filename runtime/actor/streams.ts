/**
 * Subscriptions by id: one producer, one reader, neither with a reference to the other. This is how a turn's deltas reach
 * the edge without a callback in a message. The reader subscribes first, under an id that it makes; items are plain data.
 */
import type { Transfer } from './transfer.ts'

export interface StreamReader<Item> {
  /** Called in order. False: the reader is slow; `write` tells the producer, and nothing more comes until `resume`. */
  item(item: Item): boolean
  /** The last call, once; `error` when the producer failed. */
  end(error?: Error): void
}

export interface Subscription {
  /** The reader has room again. */
  resume(): void
  /** The reader goes away: further items are dropped. */
  leave(): void
}

export interface StreamWriter<Item> {
  /**
   * False: the reader is slow. The item was accepted; the producer stops until `onRoom` fires. What it writes before it
   * stops (the rest of a network read) is buffered, so the producer's own read size is the bound.
   */
  write(item: Item): boolean
  /** Fires each time there is room again after `write` returned false. One listener. */
  onRoom(fire: () => void): void
  end(error?: Error): void
}

export interface Streams {
  /** @throws when the id has a reader already */
  subscribe<Item>(id: string, reader: StreamReader<Item>): Subscription
  /** The producer's end. Without a subscriber, what is written is dropped. */
  open<Item>(id: string): StreamWriter<Item>
  has(id: string): boolean
  /** Streams that have a reader. */
  readonly size: number
}

interface Stream {
  reader: StreamReader<unknown>
  buffered: unknown[]
  isSlow: boolean
  hasLeft: boolean
  end: { error: Error | undefined } | undefined
  onRoom: (() => void) | undefined
}

const unwatched: StreamWriter<unknown> = { write: () => true, onRoom() {}, end() {} }

/** @param transfer applied to each item and to the error at the end, where actors do not share memory */
export function streams(transfer?: Transfer | undefined): Streams {
  const watched = new Map<string, Stream>()

  /** Hands over what is buffered until the reader is slow or nothing is left; then the end, if it has come. */
  function flow(id: string, stream: Stream): void {
    let handed = 0
    while (handed < stream.buffered.length && !stream.isSlow && !stream.hasLeft) {
      if (!stream.reader.item(stream.buffered[handed++])) stream.isSlow = true
    }
    stream.buffered.splice(0, handed)
    if (stream.isSlow || stream.hasLeft) return
    if (stream.end) {
      watched.delete(id)
      stream.reader.end(stream.end.error)
    } else {
      stream.onRoom?.()
    }
  }

  return {
    subscribe(id, reader) {
      if (watched.has(id)) throw new Error(`stream ${id} has a reader already`)
      const stream: Stream = {
        reader: reader as StreamReader<unknown>,
        buffered: [],
        isSlow: false,
        hasLeft: false,
        end: undefined,
        onRoom: undefined,
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
          stream.buffered = []
          if (watched.get(id) === stream) watched.delete(id)
          stream.onRoom?.()
        },
      }
    },
    open<Item>(id: string): StreamWriter<Item> {
      const stream = watched.get(id)
      if (!stream) return unwatched as StreamWriter<Item>
      return {
        write(written) {
          const item = transfer ? transfer.data(written) : written
          if (stream.hasLeft || stream.end) return true
          if (stream.isSlow || stream.buffered.length > 0) {
            stream.buffered.push(item)
            return !stream.isSlow
          }
          if (!stream.reader.item(item)) stream.isSlow = true
          return !stream.isSlow
        },
        onRoom(fire) {
          stream.onRoom = fire
        },
        end(error) {
          if (stream.end || stream.hasLeft) return
          stream.end = { error: transfer ? (transfer.failure(error) as Error | undefined) : error }
          flow(id, stream)
        },
      }
    },
    has: (id) => watched.has(id),
    get size() {
      return watched.size
    },
  }
}
