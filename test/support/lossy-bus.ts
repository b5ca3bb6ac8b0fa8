/** A bus in memory, whose losses the test decides. */
import { msgpack } from '../../runtime/actor/codec.ts'
import type { Bus, BusListener } from '../../runtime/nodes/bus.ts'

export interface BusBetween {
  /** Of one node. */
  of(node: number): Bus
  /** Whether this message is lost. Default: none is. */
  loses: (from: number, to: number) => boolean
  /** What listeners threw. */
  readonly defects: unknown[]
}

export function busBetween(): BusBetween {
  const listeners = new Map<number, Map<string, BusListener>>()
  const between: BusBetween = {
    loses: () => false,
    defects: [],
    of(node) {
      const own = new Map<string, BusListener>()
      listeners.set(node, own)
      const counts = { sent: 0, received: 0, dropped: 0, refused: 0, lost: 0 }
      const send = (to: number, kind: string, body: unknown) => {
        if (between.loses(node, to)) return
        const bytes = msgpack.encode(body)
        setImmediate(async () => {
          try {
            await listeners.get(to)?.get(kind)?.(msgpack.decode(bytes), node)
          } catch (error) {
            between.defects.push(error)
          }
        })
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
