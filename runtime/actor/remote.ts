/**
 * Actors that live on other nodes: asked, told and followed as if they lived here. A message goes to the node that has the
 * slot of its key; where that is nobody for the moment, or no longer the one that was asked, it waits a little and goes on.
 */
import { Failure } from '../failure.ts'
import type { Log } from '../log/log.ts'
import type { Leases } from '../nodes/leases.ts'
import type { Links } from '../nodes/links.ts'
import type { Clock } from '../time/clock.ts'
import { ms, seconds } from '../time/duration.ts'
import type { ActorRef, AnyDefinition, Handlers } from './define.ts'
import type { Envelope, Reply } from './envelope.ts'
import { ActorGone, ActorMoved } from './errors.ts'
import type { StreamReader, Streams, StreamWriter, Subscription } from './streams.ts'
import type { Destination } from './system-core.ts'
import type { FailureTransfer, PlainFailure } from './transfer.ts'

/** The node that had the actor was lost, or the way to it: what became of the message is not known here. */
export class NodeLost extends Failure {
  readonly code = 'node_lost'
  override readonly isOutage = true
  constructor(path: string) {
    super(`the node on which ${path} lives was lost`)
  }
}

/** No node has the actor's slot, and none has taken it for a while. */
export class NobodyHome extends Failure {
  readonly code = 'nobody_home'
  override readonly isOutage = true
  constructor(path: string) {
    super(`no node has ${path} now`)
  }
}

export interface NodesAround extends Leases {
  /** The node whose slot the key is in; undefined: nobody's, as far as is known here. */
  ownerOf(key: string): number | undefined
}

export interface Remote {
  /** Undefined: it lives here. */
  destination(definition: AnyDefinition, key: string): Destination | undefined
  /** To a pinned actor on that node. */
  sendTo(node: number, definition: AnyDefinition, key: string, envelope: Envelope): void
  /** One that came back from the actor, as its slot is being handed over. */
  sendOn(definition: AnyDefinition, key: string, envelope: Envelope): void
}

export interface RemoteOptions {
  nodes: NodesAround
  links: Links
  streams: Streams
  failures: FailureTransfer
  clock: Clock
  log: Log
  /** Kinds that are placed by slot, or pinned. */
  definitions: readonly AnyDefinition[]
  /** Whether a pinned actor lives here. */
  isPinnedHere(definition: AnyDefinition, key: string): boolean
  /** The place of the actor where it lives here. @throws ActorStopped */
  local(definition: AnyDefinition, key: string): Destination
  ref(definition: AnyDefinition, key: string): ActorRef<Handlers<unknown>>
  deadLetter(path: string, envelope: Envelope): void
}

interface RemoteMessage {
  kind: string
  key: string
  type: string
  message: unknown
}

type Message =
  | ({ t: 'tell' } & RemoteMessage)
  /** `streams`: those that the asking side reads while it waits. */
  | ({ t: 'ask'; id: number; streams: readonly string[] } & RemoteMessage)
  | { t: 'cancel'; id: number }
  | { t: 'answer'; id: number; value: unknown }
  | { t: 'failed'; id: number; failure: PlainFailure }
  /** The slot is not this node's, or soon no longer: nothing was done. */
  | { t: 'moved'; id: number; isBeingHandedOver?: boolean }
  | { t: 'items'; stream: string; items: unknown[] }
  | { t: 'end'; stream: string; failure: PlainFailure | null }
  /** So many items of the stream have been taken in all. */
  | { t: 'taken'; stream: string; count: number }
  | { t: 'left'; stream: string }

type Handling = { [T in Message['t']]: (message: Message & { t: T }, from: number) => void }

/** Where an ask waits for its answer. */
interface Asked {
  node: number
  definition: AnyDefinition
  key: string
  envelope: Envelope
  sinceMs: number
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
/** Between two looks for the node that has a slot. */
const lookMs = ms(50)
const homelessMs = seconds(5)
/** Asks that wait for other nodes. */
const askedMax = 20_000

export function openRemote(options: RemoteOptions): Remote {
  const { nodes, links, streams, failures, clock, log, definitions, local, deadLetter } = options
  const kinds = new Map(definitions.map((definition) => [definition.kind, definition]))
  const asked = new Map<number, Asked>()
  const answering = new Map<string, AbortController>()
  const forwarded = new Map<string, Forwarded>()
  const followed = new Map<string, Followed>()
  let lastId = 0

  function destination(definition: AnyDefinition, key: string): Destination | undefined {
    const owner = nodes.ownerOf(key)
    if (owner === nodes.node) return undefined
    const path = `${definition.under ?? `${definition.kind}s`}/${key}`
    return {
      path,
      get status() {
        return nodes.ownerOf(key) === owner ? ('running' as const) : ('gone' as const)
      },
      enqueue: (envelope) => send({ definition, key, envelope, sinceMs: clock.elapsed() }),
    }
  }

  /** Or waits for a node that has the slot. */
  function send(message: Omit<Asked, 'node'>): void {
    const { definition, key, envelope } = message
    const { reply, type } = envelope
    if (reply?.isSettled) return
    const owner = nodes.ownerOf(key)
    const content = { kind: definition.kind, key, type, message: envelope.message }
    if (owner === nodes.node) sendHere(message)
    else if (owner === undefined) clock.after(lookMs, () => sendAgain(message))
    else if (reply) ask(owner, message, reply)
    else tellOther(owner, { t: 'tell', ...content })
  }

  function ask(owner: number, message: Omit<Asked, 'node'>, reply: Reply): void {
    const { definition, key, envelope } = message
    if (asked.size >= askedMax) {
      giveUp(message)
      return
    }
    const id = ++lastId
    asked.set(id, { ...message, node: owner })
    reply.signal.addEventListener('abort', () => {
      if (asked.delete(id)) tellOther(owner, { t: 'cancel', id })
    })
    const { type, streams: read = [] } = envelope
    tellOther(owner, { t: 'ask', id, streams: read, kind: definition.kind, key, type, message: envelope.message })
  }

  const tellOther = (node: number, message: Message) => links.send(node, message)

  function sendTo(node: number, definition: AnyDefinition, key: string, envelope: Envelope): void {
    const { reply, type, message } = envelope
    if (reply?.isSettled) return
    if (reply) ask(node, { definition, key, envelope, sinceMs: clock.elapsed() }, reply)
    else tellOther(node, { t: 'tell', kind: definition.kind, key, type, message })
  }

  /** As long as whoever has the slot lives, it is waited for until that one hands it over. */
  function sendOn(definition: AnyDefinition, key: string, envelope: Envelope): void {
    clock.after(lookMs, () => send({ definition, key, envelope, sinceMs: clock.elapsed() }))
  }

  /** Until nobody has been found for too long. */
  function sendAgain(message: Omit<Asked, 'node'>): void {
    if (clock.elapsed() - message.sinceMs < homelessMs) send(message)
    else giveUp(message)
  }

  function sendHere({ definition, key, envelope }: Omit<Asked, 'node'>): void {
    try {
      local(definition, key).enqueue(envelope)
    } catch (error) {
      if (envelope.reply) envelope.reply.reject(error)
      else deadLetter(key, envelope)
    }
  }

  function giveUp({ key, envelope }: Omit<Asked, 'node'>): void {
    if (envelope.reply) envelope.reply.reject(new NobodyHome(key))
    else deadLetter(key, envelope)
  }

  const handlers: Handling = {
    tell: (message) => tell(message),
    ask: (message, from) => void answer(message, from),
    cancel: ({ id }, from) => answering.get(`${from} ${id}`)?.abort(new Error('the caller gave up')),
    answer: ({ id, value }, from) => settle(id, from, ({ reply }) => reply?.resolve(value)),
    failed: ({ id, failure }, from) => settle(id, from, ({ reply }) => reply?.reject(failures.revived(failure))),
    // Who has it now is known here a little later.
    moved: ({ id, isBeingHandedOver }, from) =>
      settle(id, from, (_envelope, one) => {
        if (isBeingHandedOver) sendOn(one.definition, one.key, one.envelope)
        else clock.after(lookMs, () => sendAgain(one))
      }),
    items: (message, from) => takeItems(message, from),
    end: (message, from) => endFollowed(message, from),
    taken: (message, from) => taken(message, from),
    left: ({ stream }, from) => stopForwarding(stream, from),
  }

  function receive(message: unknown, from: number): void {
    const { t } = message as Message
    const handle = Object.hasOwn(handlers, t) ? (handlers[t] as (message: unknown, from: number) => void) : undefined
    if (handle) handle(message, from)
    else log.debug({ node: from }, 'a message of another node is of no known form')
  }

  function settle(id: number, from: number, end: (envelope: Envelope, one: Asked) => void): void {
    const one = asked.get(id)
    if (one?.node !== from) return
    asked.delete(id)
    end(one.envelope, one)
  }

  /** @throws TypeError for a kind or a type that there is not in this version, or what the key's schema throws */
  function refOf({ kind, key, type }: RemoteMessage): ActorRef<Handlers<unknown>> {
    const definition = kinds.get(kind)
    if (!definition || !Object.hasOwn(definition.receive, type)) throw new TypeError(`there is no ${type} of ${kind}`)
    return options.ref(definition, key)
  }

  const isPinnedKind = (kind: string): boolean => kinds.get(kind)?.placement === 'pinned'

  function isHere({ kind, key }: RemoteMessage): boolean {
    const definition = kinds.get(kind)
    if (definition?.placement === 'pinned') return options.isPinnedHere(definition, key)
    return nodes.of(key) !== undefined
  }

  /** Best effort, as a message that nobody waits for is: one that comes too late for the slot is not sent on. */
  function tell(message: RemoteMessage): void {
    const ref = refOf(message)
    if (isHere(message)) ref.tell(message.type, message.message)
    else
      log.debug(
        { kind: message.kind, key: message.key, type: message.type },
        'a message came for an actor that has moved',
      )
  }

  async function answer(message: Message & { t: 'ask' }, from: number): Promise<void> {
    const { id, kind, key, type, streams: read } = message
    if (!isHere(message)) {
      if (isPinnedKind(kind))
        tellOther(from, { t: 'failed', id, failure: failures.plain(new ActorGone(`${kind}/${key}`)) })
      else tellOther(from, { t: 'moved', id })
      return
    }
    const giving = new AbortController()
    const name = `${from} ${id}`
    answering.set(name, giving)
    const answered = await asAnswered(id, async () => {
      const ref = refOf(message)
      for (const stream of read) forward(stream, from)
      return await ref.ask(type, message.message, { signal: giving.signal, deadlineMs: Number.POSITIVE_INFINITY })
    })
    if (answered.t === 'moved') for (const stream of read) stopForwarding(stream, from)
    if (answering.delete(name)) tellOther(from, answered)
  }

  async function asAnswered(id: number, ask: () => Promise<unknown>): Promise<Message> {
    try {
      return { t: 'answer', id, value: await ask() }
    } catch (error) {
      if (error instanceof ActorMoved) return { t: 'moved', id, isBeingHandedOver: true }
      return { t: 'failed', id, failure: failures.plain(error) }
    }
  }

  /** Reads a stream of this node for a reader on that one. */
  function forward(id: string, node: number): void {
    const stream: Forwarded = { node, subscription: none, sent: 0, taken: 0, isSlow: false, items: [] }
    const flush = () => {
      const items = stream.items.splice(0)
      if (items.length > 0) tellOther(node, { t: 'items', stream: id, items })
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
        tellOther(node, { t: 'end', stream: id, failure: error ? failures.plain(error) : null })
      },
    }
    stream.subscription = streams.subscribe(id, reader)
    forwarded.set(id, stream)
  }

  function taken({ stream: id, count }: Message & { t: 'taken' }, from: number): void {
    const stream = forwarded.get(id)
    if (stream?.node !== from) return
    stream.taken = Math.max(stream.taken, count)
    if (!stream.isSlow || stream.sent - stream.taken >= windowItems) return
    stream.isSlow = false
    stream.subscription.resume()
  }

  function stopForwarding(id: string, node: number): void {
    const stream = forwarded.get(id)
    if (stream?.node !== node) return
    forwarded.delete(id)
    stream.subscription.leave()
  }

  function takeItems({ stream: id, items }: Message & { t: 'items' }, from: number): void {
    if (!streams.has(id)) {
      followed.delete(id)
      tellOther(from, { t: 'left', stream: id })
      return
    }
    const stream = followed.get(id) ?? follow(id, from)
    let hasRoom = true
    for (const item of items) hasRoom = stream.writer.write(item)
    stream.count += items.length
    if (hasRoom) tellTaken(id, stream)
  }

  function endFollowed({ stream: id, failure }: Message & { t: 'end' }, from: number): void {
    // One that had no item yet ends as well.
    const stream = followed.get(id) ?? (streams.has(id) ? follow(id, from) : undefined)
    followed.delete(id)
    stream?.writer.end(failure ? (failures.revived(failure) as Error) : undefined)
  }

  function follow(id: string, node: number): Followed {
    const stream: Followed = { node, writer: streams.open(id), count: 0, told: 0 }
    stream.writer.onRoom(() => {
      if (streams.has(id)) tellTaken(id, stream)
      else {
        followed.delete(id)
        tellOther(node, { t: 'left', stream: id })
      }
    })
    followed.set(id, stream)
    return stream
  }

  function tellTaken(id: string, stream: Followed): void {
    if (stream.count - stream.told < windowItems / 4) return
    stream.told = stream.count
    links.send(stream.node, { t: 'taken', stream: id, count: stream.count } satisfies Message)
  }

  /** What was under way with that node is lost. */
  function lost(node: number): void {
    for (const [id, one] of asked) {
      if (one.node !== node) continue
      asked.delete(id)
      one.envelope.reply?.reject(new NodeLost(`${one.definition.kind} ${one.key}`))
    }
    for (const [name, giving] of answering) {
      if (!name.startsWith(`${node} `)) continue
      answering.delete(name)
      giving.abort(new Error('the node of the caller was lost'))
    }
    for (const [id, stream] of forwarded) if (stream.node === node) stopForwarding(id, node)
    for (const [id, stream] of followed) {
      if (stream.node !== node) continue
      followed.delete(id)
      stream.writer.end(new NodeLost(`stream ${id}`))
    }
  }

  links.onMessage(receive)
  links.onCut(lost)
  return { destination, sendTo, sendOn }
}

const none: Subscription = { resume() {}, leave() {} }
