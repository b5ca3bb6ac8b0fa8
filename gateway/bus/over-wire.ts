/** The bus over a wire: what is sent in one turn of the event loop leaves together, and the queue before it is bounded. */
import type { KeyObject } from 'node:crypto'
import type { Log } from '../../runtime/log/log.ts'
import type { Bus } from '../../runtime/nodes/bus.ts'
import { type Clock, sleep, systemClock } from '../../runtime/time/clock.ts'
import { encodedMessage, everybody } from './envelope.ts'
import { incoming } from './incoming.ts'
import { outgoing } from './outgoing.ts'
import type { OpenWire } from './wire.ts'

export interface BusOptions {
  /** Of this start of the service. */
  epoch: number
  /** Signs: the same at all nodes of this installation and at no others. */
  key: KeyObject
  log: Log
  clock?: Clock
  /** Bytes that wait to be sent; beyond it messages are dropped. */
  waitingBytesMax?: number
}

const defaultWaitingBytesMax = 8 * 1024 * 1024
/** What goes to the wire at once. */
const writeBytesMax = 1024 * 1024
const closeMs = 1_000

/** Resolves after the wire's first try to reach the others. */
export async function busOverWire(open: OpenWire, options: BusOptions): Promise<Bus> {
  const { epoch, key, log, clock = systemClock, waitingBytesMax = defaultWaitingBytesMax } = options
  const out = outgoing(key, { from: epoch, waitingBytesMax })
  const inward = incoming(key, {
    ...{ epoch, clock },
    onDefect: (err) => log.error({ err }, 'a listener of messages between nodes failed'),
  })
  let listeners: ((isUp: boolean) => void)[] = []
  let sent = 0
  let dropped = 0
  let isUp = false
  let isClosed = false
  let flushing: Promise<void> | undefined
  let isScheduled = false

  const wire = await open({
    frame: inward.frame,
    state(now) {
      if (now === isUp) return
      isUp = now
      if (!isUp) dropped += out.clear()
      for (const listener of listeners) listener(isUp)
    },
  })

  function post(to: number, kind: string, body: unknown): void {
    if (!isUp || isClosed) {
      dropped++
      return
    }
    try {
      if (!out.add(to, encodedMessage(kind, body))) dropped++
      else schedule()
    } catch (err) {
      dropped++
      log.error({ err, kind }, 'a message to another node is no plain data, and was not sent')
    }
  }

  /** After what this turn of the event loop has to say. */
  function schedule(): void {
    if (isScheduled || flushing) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      flush()
    })
  }

  function flush(): void {
    flushing ??= writeAll().finally(() => {
      flushing = undefined
      if (out.count > 0) schedule()
    })
  }

  async function writeAll(): Promise<void> {
    while (out.count > 0 && isUp) {
      const { frames, count } = out.take(wire.frameBytesMax, writeBytesMax)
      try {
        const written = wire.write(frames)
        if (written) await written
        sent += count
      } catch {
        dropped += count // the wire says by its state what is wrong
      }
    }
  }

  return {
    send: post,
    broadcast: (kind, body) => post(everybody, kind, body),
    on: inward.on,
    get isUp() {
      return isUp
    },
    onState(listener) {
      listeners.push(listener)
    },
    get counts() {
      return { sent, dropped, ...inward.counts }
    },
    async close() {
      isClosed = true
      const timeout = new AbortController()
      flush()
      await Promise.race([flushing, sleep(clock, closeMs, timeout.signal).catch(() => undefined)])
      timeout.abort()
      listeners = []
      dropped += out.clear()
      await wire.close()
      inward.close()
    },
  }
}
