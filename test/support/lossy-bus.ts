/** A bus in memory, whose losses the test decides. */
import { msgpack } from '../../runtime/actor/codec.ts'
import type { Bus } from '../../runtime/nodes/bus.ts'

export interface BusBetween {
  /** Of one node. */
  of(node: number): Bus
  /** Whether this message is lost. Default: none is. */
  loses: (from: number, to: number) => boolean
}

export function busBetween(): BusBetween {
  const listeners = new Map<number, Map<string, (body: unknown, from: number) => void>>()
  const between: BusBetween = {
    loses: () => false,
    of(node) {
      const own = new Map<string, (body: unknown, from: number) => void>()
      listeners.set(node, own)
      const counts = { sent: 0, received: 0, dropped: 0, refused: 0, lost: 0 }
      const send = (to: number, kind: string, body: unknown) => {
        if (between.loses(node, to)) return
        const bytes = msgpack.encode(body)
        setImmediate(() => listeners.get(to)?.get(kind)?.(msgpack.decode(bytes), node))
      }
      return {
        send,
        broadcast(kind, body) {
          for (const to of listeners.keys()) if (to !== node) send(to, kind, body)
        },
        on: (kind, listener) => void own.set(kind, listener),
        isUp: true,
        onState() {},
        counts,
        async close() {
          listeners.delete(node)
        },
      }
    },
  }
  return between
}
