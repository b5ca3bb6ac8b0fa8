/**
 * Messages between two nodes: in order, each once, as long as both live and neither falls behind. What the bus loses is sent
 * again; a link that cannot hold more is cut, and both sides learn that what was under way is lost.
 */
import type { Codec } from '../actor/codec.ts'
import { Failure } from '../failure.ts'
import type { Log } from '../log/log.ts'
import type { Clock, Timer } from '../time/clock.ts'
import { ms, seconds } from '../time/duration.ts'
import type { Bus } from './bus.ts'

export interface Links {
  /**
   * @param isRefusable it comes from outside, and is refused before what is under way has to be cut for it
   * @throws for what is not plain data, LinkFull
   */
  send(to: number, message: object, isRefusable?: boolean): void
  onMessage(listener: (message: unknown, from: number) => void): void
  /** What was under way between this node and that one, either way, is lost. */
  onCut(listener: (node: number) => void): void
  /** The node is lost: nothing is kept for it, and nothing that it sent before is taken any more: it may live and send again what was heard. */
  forget(node: number): void
  close(): void
}

/** There is no room for the message on the way to that node, or it is too large for any. */
export class LinkFull extends Failure {
  readonly code = 'link_full'
  override readonly isOutage = true
  constructor(node: number) {
    super(`the way to node ${node} has no room for the message`)
  }
}

export interface LinksOptions {
  bus: Bus
  codec: Codec
  clock: Clock
  log: Log
  /** Of one link. */
  bytesMax?: number
  messagesMax?: number
}

interface Waiting {
  bytes: Uint8Array
  /** When it was sent last. */
  sentMs: number
}

interface Link {
  /** Of what is sent: counts up when it is cut. */
  generation: number
  /** Sent and not acknowledged, and behind them those that are not sent yet: numbered from `first` on. */
  waiting: Waiting[]
  first: number
  bytes: number
  /** How many of `waiting` are sent, and their bytes. */
  sent: number
  sentBytes: number
  /** Of what comes. */
  theirs: number
  expected: number
  /** Nothing more of that generation is taken: the node was taken for lost meanwhile. */
  isOver: boolean
  owesAnswer: boolean
  /** When the other side acknowledged something last, or else the oldest that waits was handed over. */
  heardMs: number
}

/** Numbers are relative to one generation of the sender; `ack` to one of the receiver. */
interface Packet {
  generation: number
  first: number
  messages: Uint8Array[]
  ack: { generation: number; upTo: number; isOver?: boolean }
}

const kind = 'link'
const tickMs = ms(50)
const resendMs = ms(300)
const giveUpMs = seconds(10)
/** The bus carries 32 MiB, and a packet has a little more than its message. */
const messageBytesMax = 31 * 1_048_576
const packetBytes = 262_144
const packetMessages = 1_000
/** Sent and not acknowledged at a time. */
const windowBytes = 4 * 1_048_576

/** Each start of the service is a node; one that was lost so many nodes ago sends nothing any more. */
const overMax = 1_000

export function openLinks(options: LinksOptions): Links {
  const { bus, codec, clock, log, bytesMax = 64 * 1_048_576, messagesMax = 20_000 } = options
  const links = new Map<number, Link>()
  let generations = 0
  let listener: (message: unknown, from: number) => void = () => {}
  const cutListeners: ((node: number) => void)[] = []
  const dirty = new Set<number>()
  let timer: Timer | undefined
  let isClosed = false

  function linkTo(node: number): Link {
    let link = links.get(node)
    if (!link) {
      const outgoing = { generation: ++generations, ...emptyQueue() }
      link = { ...outgoing, theirs: 0, expected: 1, isOver: false, owesAnswer: false, heardMs: clock.elapsed() }
      links.set(node, link)
    }
    return link
  }

  function soon(node: number): void {
    if (dirty.size === 0) setImmediate(flushAll)
    dirty.add(node)
  }

  function flushAll(): void {
    const nodes = [...dirty]
    dirty.clear()
    for (const node of nodes) flush(node)
  }

  function flush(node: number): void {
    const link = links.get(node)
    if (!link || isClosed) return
    while (link.sent < link.waiting.length && link.sentBytes < windowBytes) sendPacket(node, link)
    if (link.owesAnswer) sendPacket(node, link)
    tickLater()
  }

  function sendPacket(node: number, link: Link): void {
    const messages: Uint8Array[] = []
    const first = link.first + link.sent
    let bytes = 0
    const now = clock.elapsed()
    while (link.sent < link.waiting.length && messages.length < packetMessages && bytes < packetBytes) {
      const next = link.waiting[link.sent++] as Waiting
      next.sentMs = now
      messages.push(next.bytes)
      bytes += next.bytes.length
    }
    link.sentBytes += bytes
    link.owesAnswer = false
    const ack = { generation: link.theirs, upTo: link.expected - 1, isOver: link.isOver }
    bus.send(node, kind, { generation: link.generation, first, messages, ack } satisfies Packet)
  }

  function tickLater(): void {
    if (timer || isClosed || ![...links.values()].some((link) => link.waiting.length > 0)) return
    timer = clock.after(tickMs, tick)
  }

  function tick(): void {
    timer = undefined
    const now = clock.elapsed()
    for (const [node, link] of links) {
      const [oldest] = link.waiting
      if (!oldest || link.sent === 0) continue
      if (now - link.heardMs > giveUpMs) cut(node, link, 'it does not answer')
      else if (now - oldest.sentMs > resendMs) {
        // From the first that is not acknowledged: the other side takes nothing out of order.
        link.sent = 0
        link.sentBytes = 0
        sendPacket(node, link)
      }
    }
    tickLater()
  }

  function cut(node: number, link: Link, reason: string): void {
    log.warn({ node, reason, messages: link.waiting.length, bytes: link.bytes }, 'the way to another node was cut')
    Object.assign(link, { generation: ++generations, ...emptyQueue() })
    tellCut(node)
    // The other side learns of it by the new generation.
    link.owesAnswer = true
    soon(node)
  }

  function tellCut(node: number): void {
    for (const listener of cutListeners) listener(node)
  }

  function acknowledged(node: number, link: Link, { generation, upTo, isOver }: Packet['ack']): void {
    if (generation !== link.generation) return
    if (isOver === true || (upTo === 0 && link.first > 1)) {
      cut(node, link, 'it has forgotten this one')
      return
    }
    const count = Math.min(upTo - link.first + 1, link.sent)
    if (count <= 0) return
    for (const { bytes } of link.waiting.splice(0, count)) {
      link.bytes -= bytes.length
      link.sentBytes -= bytes.length
    }
    link.first += count
    link.sent -= count
    link.heardMs = clock.elapsed()
    if (link.sent < link.waiting.length) soon(node)
  }

  function receive(body: unknown, from: number): void {
    const packet = packetOf(body)
    if (!packet || isClosed) return
    const link = linkTo(from)
    acknowledged(from, link, packet.ack)
    if (packet.generation < link.theirs) return
    if (packet.generation > link.theirs) {
      const isKnown = link.theirs > 0
      Object.assign(link, { theirs: packet.generation, expected: 1, isOver: false })
      if (isKnown) tellCut(from)
    }
    if (packet.messages.length > 0) {
      link.owesAnswer = true
      soon(from)
    }
    if (link.isOver) return
    for (const [at, bytes] of packet.messages.entries()) {
      if (packet.first + at !== link.expected) continue
      link.expected++
      hand(bytes, from)
    }
  }

  function hand(bytes: Uint8Array, from: number): void {
    try {
      listener(codec.decode(bytes), from)
    } catch (error) {
      log.error({ err: error, node: from }, 'a message of another node could not be handled')
    }
  }

  bus.on(kind, receive)
  return {
    send(to, message, isRefusable = false) {
      if (isClosed) return
      const link = linkTo(to)
      const bytes = codec.encode(message)
      const isFull = link.bytes + bytes.length > bytesMax / 2 || link.waiting.length >= messagesMax / 2
      // One that the bus cannot carry would be sent again and again until all that is behind it is given up.
      if (bytes.length > messageBytesMax || (isRefusable && isFull)) throw new LinkFull(to)
      if (link.waiting.length === 0) link.heardMs = clock.elapsed()
      link.waiting.push({ bytes, sentMs: clock.elapsed() })
      link.bytes += bytes.length
      if (link.bytes > bytesMax || link.waiting.length > messagesMax) cut(to, link, 'it falls behind')
      else soon(to)
    },
    onMessage(next) {
      listener = next
    },
    onCut(next) {
      cutListeners.push(next)
    },
    forget(node) {
      const link = links.get(node)
      if (!link) return
      // Last, as the newest of those that are over.
      links.delete(node)
      links.set(node, { ...link, generation: ++generations, ...emptyQueue(), isOver: true, owesAnswer: false })
      const over = [...links].filter(([, { isOver }]) => isOver)
      if (over.length > overMax) links.delete(over[0]?.[0] ?? node)
      tellCut(node)
    },
    close() {
      isClosed = true
      timer?.cancel()
      links.clear()
    },
  }
}

function emptyQueue() {
  return { waiting: [], first: 1, bytes: 0, sent: 0, sentBytes: 0 }
}

function packetOf(body: unknown): Packet | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const { generation, first, messages, ack } = body as Partial<Packet>
  const isWhole =
    isCount(generation) &&
    isCount(first) &&
    Array.isArray(messages) &&
    messages.every((each) => each instanceof Uint8Array) &&
    isCount(ack?.generation) &&
    isCount(ack?.upTo)
  return isWhole ? (body as Packet) : undefined
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
