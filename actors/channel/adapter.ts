/** The interface of channel adapters: how answers are sent to a kind of destination, and how messages come from it. */
import type { z } from 'zod'
import { Failure } from '../../runtime/failure.ts'
import type { Log } from '../../runtime/log/log.ts'
import type { HostAndPort } from '../../runtime/network/judge.ts'
import type { Outgoing } from '../../runtime/network/outgoing.ts'
import type { Random } from '../../runtime/random.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import type { ConversationId, DeliveryId, MessageId } from '../../store/id.ts'
import type { Translated } from './form.ts'
import type { ChannelWebhook, WebhookReceiver } from './webhooks.ts'

/** An answer to be sent, under an id that is the same in every attempt. */
export interface OutgoingDelivery {
  id: DeliveryId
  conversationId: ConversationId
  messageId: MessageId
  /** The receiver, as the channel names them. */
  externalId: string
  /** From the sender's newest message: where answers go. Only the adapter interprets it. */
  replyTo: unknown
  text: string
  /** Attempts that failed before this one. */
  attempts: number
  createdAt: Date
}

export interface Sent {
  statusCode: number | null
  /** The receiver's id of the message. */
  receipt: string | null
}

/** An attempt that failed. `isFinal`: the receiver refused it permanently, and another attempt would be useless. */
export class DeliveryFailed extends Failure {
  readonly code = 'delivery_failed'
  readonly isFinal: boolean
  readonly statusCode: number | null
  /** The receiver asked for a pause of this length. */
  readonly retryAfterMs: number | undefined
  constructor(
    message: string,
    more: { isFinal?: boolean; statusCode?: number | null; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.isFinal = more.isFinal ?? false
    this.statusCode = more.statusCode ?? null
    this.retryAfterMs = more.retryAfterMs
  }
}

/** A message that an adapter received. */
export interface IncomingMessage {
  externalId: string
  /** The destination's id of the message. A repeated one is stored once. */
  messageId: string
  /** Text, or parts in the form of OpenAI's chat API. */
  content: unknown
  senderName: string | null
  replyTo: unknown
}

export interface AdapterDependencies {
  clock: Clock
  /** A tenant names the destination: nothing connects to it but by this. */
  outgoing: Outgoing
  /** For the posts of a messenger. */
  webhook: ChannelWebhook
  random: Random
  log: Log
  /** Resolves once the message is committed: only then may its source get an acknowledgement. @throws where it was not taken */
  take(message: IncomingMessage): Promise<void>
}

/** A channel's way to the outside, open. */
export interface ChannelTransport {
  /** Resolves when the connection is ready. Nothing is sent before. @throws the connection error; it is retried later */
  connect(signal: AbortSignal): Promise<void>
  /** Resolves, or rejects with the cause, when the connection is lost; absent: there is no lasting connection. */
  readonly lost?: Promise<void>
  /** The key of the circuit breaker: a destination that is down does not delay the others. */
  destinationOf(delivery: OutgoingDelivery): string
  /** @throws DeliveryFailed; anything else counts as a failure that may be retried */
  send(delivery: OutgoingDelivery, signal: AbortSignal): Promise<Sent>
  /** Shows the sender that an answer is being made. Best effort; called again while it lasts. */
  typing?(externalId: string, replyTo: unknown): Promise<void>
  close(): Promise<void>
}

/** A test of one connection of a channel: no message is taken, and none is sent to a person. */
export interface ChannelCheck {
  readonly name: string
  /** @returns what was found, in words for an operator. @throws what went wrong; never with a secret in it */
  run(signal: AbortSignal): Promise<string>
}

export interface ChannelAdapter<Config = unknown, Secrets = unknown> {
  readonly name: string
  /** The name of the kind for people. */
  readonly title: Translated
  readonly summary: string
  /** Fields carry their labels: `.meta(inForm({ … }))`. The admin UI draws its form from them. */
  readonly config: z.ZodType<Config>
  readonly secrets: z.ZodType<Secrets>
  /** False: answers are not sent; clients read them from the feed. */
  delivers(config: Config): boolean
  /** True: it receives messages itself, besides those that are posted. */
  receives(config: Config): boolean
  /** Its transport has `typing`. */
  readonly showsTyping?: boolean
  /** Where it connects to, for the judge of outgoing addresses. */
  destinations(config: Config): HostAndPort[]
  /** The tests that an operator can run, in order; absent or empty: there is nothing to connect to. */
  checks?(
    channel: { name: string; config: Config; secrets: Secrets },
    dependencies: Pick<AdapterDependencies, 'clock' | 'outgoing'>,
  ): ChannelCheck[]
  open(channel: { name: string; config: Config; secrets: Secrets }, dependencies: AdapterDependencies): ChannelTransport
  /** Takes posts of a messenger at a node that does not have the channel. Undefined, or absent: none are waited for. */
  posts?(channel: { config: Config; secrets: Secrets }, dependencies: AdapterDependencies): WebhookReceiver | undefined
}

/** Keeps the types of one adapter together; the registry holds adapters of all kinds. */
export function defineAdapter<Config, Secrets>(adapter: ChannelAdapter<Config, Secrets>): ChannelAdapter {
  return adapter as unknown as ChannelAdapter
}
