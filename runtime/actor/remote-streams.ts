/** Streams whose producer is on one node and whose reader on another: so many items are under way as the reader keeps up with. */
import { NodeLost } from './errors.ts'
import type { Message, MessageOf } from './remote-messages.ts'
import type { StreamReader, Streams, StreamWriter, Subscription } from './streams.ts'
import type { FailureTransfer } from './transfer.ts'

export interface RemoteStreams {
  /** Reads a stream of this node for a reader on that one. */
  forward(id: string, node: number): void
  stopForwarding(id: string, node: number): void
  items(message: MessageOf<'items'>, from: number): void
  end(message: MessageOf<'end'>, from: number): void
  taken(message: MessageOf<'taken'>, from: number): void
  /** What was under way with that node is lost. */
  lost(node: number): void
}

/** A stream that a reader on another node follows. */
interface Forwarded {
  node: number
  subscription: Subscription
  sent: number
  taken: number
  isSlow: boolean
  items: unknown[]
}

/** A stream of another node with a reader here. */
interface Followed {
  node: number
  writer: StreamWriter<unknown>
  count: number
  told: number
}

/** Items of one stream that are under way. */
const windowItems = 256
const none: Subscription = { resume() {}, leave() {} }

export function remoteStreams(options: {
  streams: Streams
  failures: FailureTransfer
  send(node: number, message: Message): void
}): RemoteStreams {
  const { streams, failures, send } = options
  const forwarded = new Map<string, Forwarded>()
  const followed = new Map<string, Followed>()

  function forward(id: string, node: number): void {
    const stream: Forwarded = { node, subscription: none, sent: 0, taken: 0, isSlow: false, items: [] }
    const flush = () => {
      const items = stream.items.splice(0)
      if (items.length === 0) return
      try {
        send(node, { t: 'items', stream: id, items })
      } catch (error) {
        // Too large for the way there: the reader learns that it has not all of it.
        stopForwarding(id, node)
        send(node, { t: 'end', stream: id, failure: failures.plain(error) })
      }
    }
    const reader: StreamReader<unknown> = {
      item(item) {
        // Those of one turn of the loop go together.
        if (stream.items.push(item) === 1) setImmediate(flush)
        stream.sent++
        stream.isSlow = stream.sent - stream.taken >= windowItems
        return !stream.isSlow
      },
      end(error) {
        flush()
        forwarded.delete(id)
        send(node, { t: 'end', stream: id, failure: error ? failures.plain(error) : null })
      },
    }
    stream.subscription = streams.subscribe(id, reader)
    forwarded.set(id, stream)
  }

  function stopForwarding(id: string, node: number): void {
    const stream = forwarded.get(id)
    if (stream?.node !== node) return
    forwarded.delete(id)
    stream.subscription.leave()
  }

  /** Undefined: nobody reads it here. */
  function follow(id: string, node: number): Followed | undefined {
    if (!streams.has(id)) {
      followed.delete(id)
      return undefined
    }
    const known = followed.get(id)
    // What is asked a second time, of another node, goes on from there.
    if (known?.node === node) return known
    const stream: Followed = { node, writer: streams.open(id), count: 0, told: 0 }
    stream.writer.onRoom(() => {
      if (streams.has(id)) tellTaken(id, stream)
      else {
        followed.delete(id)
        send(node, { t: 'left', stream: id })
      }
    })
    followed.set(id, stream)
    return stream
  }

  function tellTaken(id: string, stream: Followed): void {
    if (stream.count - stream.told < windowItems / 4) return
    stream.told = stream.count
    send(stream.node, { t: 'taken', stream: id, count: stream.count })
  }

  return {
    forward,
    stopForwarding,
    items({ stream: id, items }, from) {
      const stream = follow(id, from)
      if (!stream) {
        send(from, { t: 'left', stream: id })
        return
      }
      let hasRoom = true
      for (const item of items) hasRoom = stream.writer.write(item)
      stream.count += items.length
      if (hasRoom) tellTaken(id, stream)
    },
    end({ stream: id, failure }, from) {
      // One that had no item yet ends as well.
      const stream = follow(id, from)
      followed.delete(id)
      stream?.writer.end(failure ? (failures.revived(failure) as Error) : undefined)
    },
    taken({ stream: id, count }, from) {
      const stream = forwarded.get(id)
      if (stream?.node !== from) return
      stream.taken = Math.max(stream.taken, Math.min(count, stream.sent))
      if (!stream.isSlow || stream.sent - stream.taken >= windowItems) return
      stream.isSlow = false
      stream.subscription.resume()
    },
    lost(node) {
      for (const [id, stream] of forwarded) if (stream.node === node) stopForwarding(id, node)
      for (const [id, stream] of followed) {
        if (stream.node !== node) continue
        followed.delete(id)
        stream.writer.end(new NodeLost(`stream ${id}`))
      }
    },
  }
}
