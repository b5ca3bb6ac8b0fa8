/** `GET /v1/web/ws`: a web chat over a WebSocket. The service sends the events of the feed; the client sends frames. */
import { z } from 'zod'
import { cursorOf, type EventPosition } from '../../store/events/cursor.ts'
import type { StoredEvent } from '../../store/events/events.ts'
import { ConversationId } from '../../store/id.ts'
import { web } from '../access.ts'
import { webSocket } from '../answer.ts'
import type { App } from '../app.ts'
import { type RateDecision, type RateLimiter, rateLimited } from '../auth/rate-limiter.ts'
import { envelopeOf, errorEnvelope, knownError } from '../error.ts'
import { eventObject } from '../events/event-text.ts'
import { type EventSink, follow } from '../events/follow.ts'
import { route } from '../route.ts'
import type { SocketConnection, SocketHandlers } from '../server/web-socket.ts'
import { cancelAnswer, regenerate, sendMessage, type WebChat } from './chat-actions.ts'
import { conversationOf } from './conversation-of.ts'
import { parseWebCursor, placeText, type WebCursor } from './cursor.ts'
import { Frame } from './frames.ts'
import { LiveDeltas } from './live-deltas.ts'
import { withDeltas } from './stream.ts'

/** Frames of one socket that may wait for their answer. */
const framesMax = 16

const tooManyFrames = errorEnvelope(
  'rate_limit_error',
  'too_many_frames',
  `${framesMax} frames wait for their answer.`,
).error

/** A frame whose answer has to be awaited. */
type Command = Exclude<Frame, { type: 'ping' | 'typing' }>

const goingAway = 1001
const tryAgainLater = 1013

export const chatSocket = route({
  method: 'GET',
  path: '/v1/web/ws',
  summary: 'Chat over a WebSocket',
  description:
    'Frames are JSON objects. From the client: send {text}, cancel {turn_id}, regenerate, typing, ping, each with an ' +
    'optional id that its answer repeats. From the service: the events of GET /v1/web/stream, and ok, error, typing, pong.',
  tag: 'web',
  access: web('conversations.write'),
  query: z.object({
    conversation_id: ConversationId.optional().describe('With a key; a ticket has its conversation.'),
    ticket: z.string().max(2_000).optional(),
    cursor: z.string().max(120).optional(),
  }),
  answers: { 101: { contentType: 'text/plain', description: 'The socket is open.' } },
  async handle(call) {
    const { app, principal, query } = call
    const from = parseWebCursor(query.cursor ?? '')
    const conversation = await conversationOf(call, query.conversation_id)
    const { workspaceId } = principal
    const isNew = principal.isNewConversation ?? false
    const { requestId, clientIp } = call
    const chat: WebChat = {
      app,
      principal,
      workspaceId,
      conversation,
      isNew,
      requestId,
      clientIp,
      pendingMessages: Promise.resolve(),
    }
    return webSocket(new ChatSocket(chat, from))
  },
})

class ChatSocket implements SocketHandlers, EventSink {
  readonly #chat: WebChat
  readonly #startAt: WebCursor
  readonly #gone = new AbortController()
  #connection: SocketConnection | undefined
  #deltas: LiveDeltas | undefined
  #position: EventPosition | undefined
  #waitingForRoom: (() => void)[] = []
  #framesWaiting = 0
  /** Resolves when the last frame's rate is known. */
  #rated: Promise<RateDecision | undefined> = Promise.resolve(undefined)

  constructor(chat: WebChat, from: WebCursor) {
    this.#chat = chat
    this.#startAt = from
  }

  // ---- SocketHandlers ----

  open(connection: SocketConnection): void {
    this.#connection = connection
    const { app, conversation, workspaceId } = this.#chat
    const { services } = app
    const deltas = new LiveDeltas(
      services,
      conversation,
      this.#startAt.place,
      (turn_id, offset, text) => {
        const place = placeText({ turnId: turn_id, offset: offset + text.length })
        const cursor = this.#position && cursorOf(services.feed.name, this.#position) + place
        this.#send({ kind: 'turn.delta', cursor, turn_id, offset, text })
      },
      () => this.#send({ kind: 'typing' }),
    )
    this.#deltas = deltas
    const filter = { kinds: null, conversationId: conversation, channelId: null }
    follow(services, { workspaceId, filter, cursor: this.#startAt.cursor }, withDeltas(this, deltas)).catch(
      (error: unknown) => this.#feedFailed(app, error),
    )
  }

  message(text: string): void {
    const frame = parseFrame(text)
    if (typeof frame === 'string') this.#send({ kind: 'error', error: badFrame(frame) })
    else if (frame.type === 'ping') this.#send({ kind: 'pong', id: frame.id })
    else if (frame.type === 'typing') this.#sendTyping()
    else if (this.#framesWaiting < framesMax) this.#run(frame)
    else this.#send({ kind: 'error', id: frame.id, error: tooManyFrames })
  }

  drained(): void {
    const waiting = this.#waitingForRoom
    this.#waitingForRoom = []
    for (const go of waiting) go()
  }

  closed(): void {
    this.#connection = undefined
    this.#deltas?.close()
    this.#gone.abort()
    this.drained()
  }

  // ---- EventSink ----

  get signal(): AbortSignal {
    return this.#gone.signal
  }

  event(event: StoredEvent, place?: string): boolean {
    this.#position = event.position
    return this.#send(eventObject(this.#chat.app.services.feed.name, event, place))
  }

  reset(reason: string, cursor: string): void {
    this.#send({ kind: 'reset', reason, cursor })
  }

  live(position: EventPosition, place = ''): void {
    this.#position = position
    this.#send({ kind: 'ready', cursor: cursorOf(this.#chat.app.services.feed.name, position) + place })
  }

  room(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#connection) this.#waitingForRoom.push(resolve)
      else resolve()
    })
  }

  end(): void {
    this.#connection?.close(goingAway, 'the service stops')
  }

  // ---- frames ----

  #run(frame: Command): void {
    this.#framesWaiting++
    this.#perform(frame)
      .then(
        (done) => this.#send({ kind: 'ok', id: frame.id, ...done }),
        (error: unknown) => this.#send({ kind: 'error', id: frame.id, error: this.#envelopeOf(error) }),
      )
      .finally(() => this.#framesWaiting--)
  }

  #sendTyping(): void {
    if (this.#deltas) this.#chat.app.services.liveTurns.typing(this.#chat.conversation, this.#deltas)
  }

  /** Frames go on in the order in which they came. */
  #takeRate(taken: ReturnType<RateLimiter['take']>): Promise<RateDecision | undefined> {
    this.#rated = this.#rated.then(() => taken)
    return this.#rated
  }

  async #perform(frame: Command): Promise<object> {
    const { app, principal } = this.#chat
    const rate = await this.#takeRate(app.limits.take(principal))
    if (rate && !rate.isAllowed) throw rateLimited(rate)
    switch (frame.type) {
      case 'send':
        return sendMessage(this.#chat, frame.text)
      case 'cancel':
        return cancelAnswer(this.#chat, frame.turn_id)
      case 'regenerate':
        return regenerate(this.#chat)
      default:
        return frame satisfies never
    }
  }

  #send(frame: object): boolean {
    return this.#connection?.send(JSON.stringify(frame)) ?? true
  }

  #envelopeOf(thrown: unknown): object {
    const known = knownError(thrown)
    if (known) return envelopeOf(known).error
    const { app, requestId } = this.#chat
    app.log.error({ err: thrown, request_id: requestId }, 'defect while handling a web chat frame')
    return errorEnvelope('api_error', 'SVC-FRAME', 'The service failed. Its log has the id of this request.').error
  }

  /** The client reconnects with its cursor. */
  #feedFailed(app: App, error: unknown): void {
    app.log.warn({ err: error, request_id: this.#chat.requestId }, 'the feed of a web chat failed')
    this.#connection?.close(tryAgainLater, 'the feed failed; reconnect with the cursor')
  }
}

function parseFrame(text: string): Frame | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'A frame is one JSON object.'
  }
  const frame = Frame.safeParse(value)
  if (frame.success) return frame.data
  const [issue] = frame.error.issues
  return `${issue?.path.join('.') || 'type'}: ${issue?.message ?? 'is not allowed'}`
}

function badFrame(message: string): object {
  return errorEnvelope('invalid_request_error', 'bad_request', message).error
}
