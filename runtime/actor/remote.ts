/**
 * Actors that live on other nodes: asked, told and followed as if they lived here. A message goes to the node that has the
 * slot of its key; where that is nobody for the moment, or no longer the one that was asked, it waits a little and goes on.
 */
import type { Log } from '../log/log.ts'
import type { NodesAround } from '../nodes/leases.ts'
import type { Links } from '../nodes/links.ts'
import type { Clock } from '../time/clock.ts'
import { ms, seconds } from '../time/duration.ts'
import type { ActorRef, AnyDefinition, Handlers } from './define.ts'
import type { Envelope, Reply } from './envelope.ts'
import { ActorGone, ActorMoved, NobodyHome, NodeLost } from './errors.ts'
import { type Message, type MessageOf, messageOf, type RemoteMessage } from './remote-messages.ts'
import { remoteStreams } from './remote-streams.ts'
import type { Streams } from './streams.ts'
import type { Destination } from './system-core.ts'
import type { FailureTransfer } from './transfer.ts'

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

type Handling = { [T in Message['t']]: (message: MessageOf<T>, from: number) => void }

/** Where an ask waits for its answer. */
interface Asked extends Sent {
  node: number
}

/** What somebody here sends to an actor that is not. */
interface Sent {
  definition: AnyDefinition
  key: string
  envelope: Envelope
  sinceMs: number
}

/** Between two looks for the node that has a slot. */
const lookMs = ms(50)
const homelessMs = seconds(5)
/** Asks that wait for other nodes, and messages that wait for a node that has their slot. */
const waitingMax = 20_000

export function openRemote(options: RemoteOptions): Remote {
  const { nodes, links, streams, failures, clock, log, definitions, local, deadLetter } = options
  const kinds = new Map(definitions.map((definition) => [definition.kind, definition]))
  const asked = new Map<number, Asked>()
  const answering = new Map<string, AbortController>()
  const tellOther = (node: number, message: Message) => links.send(node, message)
  const between = remoteStreams({ streams, failures, send: tellOther })
  let lastId = 0
  let homeless = 0

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
  function send(message: Sent): void {
    const { definition, key, envelope } = message
    const { reply, type } = envelope
    if (reply?.isSettled) return
    const owner = nodes.ownerOf(key)
    const content = { kind: definition.kind, key, type, message: envelope.message }
    if (owner === nodes.node) sendHere(message)
    else if (owner === undefined) later(message, sendAgain)
    else if (reply) ask(owner, message, reply)
    else tellOther(owner, { t: 'tell', ...content })
  }

  function ask(owner: number, message: Sent, reply: Reply): void {
    const { definition, key, envelope } = message
    if (asked.size >= waitingMax) {
      giveUp(message)
      return
    }
    const id = ++lastId
    const { type, streams: read = [] } = envelope
    const content = { kind: definition.kind, key, type, message: envelope.message }
    links.send(owner, { t: 'ask', id, streams: read, ...content } satisfies Message, true)
    asked.set(id, { ...message, node: owner })
    reply.signal.addEventListener('abort', () => {
      if (asked.delete(id)) tellOther(owner, { t: 'cancel', id })
    })
  }

  function sendTo(node: number, definition: AnyDefinition, key: string, envelope: Envelope): void {
    const { reply, type, message } = envelope
    if (reply?.isSettled) return
    if (reply) ask(node, { definition, key, envelope, sinceMs: clock.elapsed() }, reply)
    else tellOther(node, { t: 'tell', kind: definition.kind, key, type, message })
  }

  /** As long as whoever has the slot lives, it is waited for until that one hands it over. */
  function sendOn(definition: AnyDefinition, key: string, envelope: Envelope): void {
    later({ definition, key, envelope, sinceMs: clock.elapsed() }, (message) =>
      send({ ...message, sinceMs: clock.elapsed() }),
    )
  }

  /** Once somebody may be known who has the slot. */
  function later(message: Sent, next: (message: Sent) => void): void {
    if (homeless >= waitingMax) {
      giveUp(message)
      return
    }
    homeless++
    clock.after(lookMs, () => {
      homeless--
      try {
        next(message)
      } catch (error) {
        reject(message, error)
      }
    })
  }

  /** Until nobody has been found for too long. */
  function sendAgain(message: Sent): void {
    if (clock.elapsed() - message.sinceMs < homelessMs) send(message)
    else giveUp(message)
  }

  function sendHere(message: Sent): void {
    const { definition, key, envelope } = message
    try {
      local(definition, key).enqueue(envelope)
    } catch (error) {
      reject(message, error)
    }
  }

  function giveUp(message: Sent): void {
    reject(message, new NobodyHome(message.key))
  }

  function reject({ key, envelope }: Sent, error: unknown): void {
    if (envelope.reply) envelope.reply.reject(error)
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
        else later(one, sendAgain)
      }),
    items: between.items,
    end: between.end,
    taken: between.taken,
    left: ({ stream }, from) => between.stopForwarding(stream, from),
  }

  function receive(body: unknown, from: number): void {
    const message = messageOf(body)
    if (message) (handlers[message.t] as (message: Message, from: number) => void)(message, from)
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

  async function answer(message: MessageOf<'ask'>, from: number): Promise<void> {
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
      for (const stream of read) between.forward(stream, from)
      return await ref.ask(type, message.message, { signal: giving.signal, deadlineMs: Number.POSITIVE_INFINITY })
    })
    if (answered.t === 'moved') for (const stream of read) between.stopForwarding(stream, from)
    if (answering.delete(name)) tellAnswer(from, id, answered)
  }

  /** One that cannot be sent, because it is too large, is a failure for whoever asks. */
  function tellAnswer(to: number, id: number, answered: Message): void {
    try {
      tellOther(to, answered)
    } catch (error) {
      tellOther(to, { t: 'failed', id, failure: failures.plain(error) })
    }
  }

  async function asAnswered(id: number, ask: () => Promise<unknown>): Promise<Message> {
    try {
      return { t: 'answer', id, value: await ask() }
    } catch (error) {
      if (error instanceof ActorMoved) return { t: 'moved', id, isBeingHandedOver: true }
      return { t: 'failed', id, failure: failures.plain(error) }
    }
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
    between.lost(node)
  }

  links.onMessage(receive)
  links.onCut(lost)
  return { destination, sendTo, sendOn }
}
