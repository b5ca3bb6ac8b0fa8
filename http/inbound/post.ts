/** `POST /v1/inbound`: a message of a channel, or up to a thousand. 202 is said after the commit. */
import { z } from 'zod'
import type { Channel } from '../../actors/channel/channels.ts'
import { ofIdempotencyKey, ofMessage, take } from '../../actors/channel/take.ts'
import { ConversationId, MessageId } from '../../store/id.ts'
import type { Intake } from '../../store/intake.ts'
import { inbound } from '../access.ts'
import { type Answer, reply } from '../answer.ts'
import type { App } from '../app.ts'
import { inputError } from '../edge/input-error.ts'
import { JsonLines } from '../edge/json-lines.ts'
import { ApiError, envelopeOf, errorEnvelope, knownError, notFound } from '../error.ts'
import { route } from '../route.ts'
import { ChannelledEnvelope, contentOf, detailsOf, InboundEnvelope } from './envelope.ts'

const itemsMax = 1_000
const idempotencyHeader = 'idempotency-key'

const Taken = z.object({
  disposition: z.enum(['accepted', 'ignored']),
  message_id: MessageId.optional(),
  conversation_id: ConversationId.optional(),
})

const Results = z.object({
  results: z.array(
    z.object({
      index: z.int(),
      status: z.int(),
      ...Taken.partial().shape,
      error: z.object({ message: z.string(), type: z.string(), code: z.string() }).optional(),
    }),
  ),
})

const description =
  'Takes one envelope, an array, or lines of JSON (application/x-ndjson), up to 1,000, with a result for each. A message ' +
  'with the message_id of an earlier one of its channel, or a request with an Idempotency-Key, is taken once and answered ' +
  'as the first time. A sender who is not bound to a role is ignored while SERVICE_INBOUND_REQUIRE_BINDING is true.'

const shared = {
  method: 'POST',
  description,
  tag: 'inbound',
  access: inbound,
  headers: [idempotencyHeader],
  bodyBytesMax: 8 * 1_048_576,
  takesLines: true,
  body: z.unknown(),
  answers: { 202: z.union([Taken, Results]) },
} as const

export const postInbound = route({
  ...shared,
  path: '/v1/inbound',
  summary: 'Post messages of a channel',
  bodyInOpenApi: z.union([InboundEnvelope, z.array(InboundEnvelope)]),
  handle: (call) => answer(call.app, call.body, { requestId: call.requestId, key: call.header(idempotencyHeader) }),
})

export const postInboundOfChannel = route({
  ...shared,
  path: '/v1/inbound/:channel',
  summary: 'Post messages of the channel in the path',
  params: z.object({ channel: InboundEnvelope.shape.channel }),
  bodyInOpenApi: z.union([ChannelledEnvelope, z.array(ChannelledEnvelope)]),
  handle: (call) =>
    answer(call.app, call.body, {
      requestId: call.requestId,
      key: call.header(idempotencyHeader),
      channel: call.params.channel,
    }),
})

interface Posting {
  requestId: string
  /** Empty: none was sent. */
  key: string
  channel?: string
}

function answer(app: App, body: unknown, posting: Posting): Promise<Answer> {
  if (posting.key.length > 255) throw new ApiError('bad_request', 'The Idempotency-Key is longer than 255 characters.')
  if (body instanceof JsonLines) return answerAll(app, body.items, posting)
  if (Array.isArray(body)) return answerAll(app, body, posting)
  return answerOne(app, body, posting)
}

async function answerOne(app: App, body: unknown, posting: Posting): Promise<Answer> {
  const taken = await takeOne(app, body, posting, posting.key)
  return reply(202, shown(taken), taken.disposition === 'duplicate' ? { 'idempotent-replayed': 'true' } : undefined)
}

async function answerAll(app: App, items: readonly unknown[], posting: Posting): Promise<Answer> {
  if (items.length > itemsMax)
    throw new ApiError('too_many_items', `At most ${itemsMax} envelopes fit into one request.`)
  /** Of each sender the last item so far: the next one waits for it, because two statements may overtake each other. */
  const last = new Map<string, Promise<unknown>>()
  const results = await Promise.all(
    items.map((item, index) => {
      const sender = senderOf(item, posting.channel)
      const key = posting.key && `${posting.key}#${index}`
      const taken = (async () => {
        await last.get(sender)
        try {
          return { index, status: 202, ...shown(await takeOne(app, item, posting, key)) }
        } catch (error) {
          return { index, ...failed(app, error, posting.requestId) }
        }
      })()
      last.set(sender, taken)
      return taken
    }),
  )
  return reply(202, { results })
}

/** Items that are no envelopes have no sender; they are refused. */
function senderOf(item: unknown, channel = ''): string {
  const { channel: named = channel, external_id: sender } = (item ?? {}) as { channel?: unknown; external_id?: unknown }
  return typeof named === 'string' && typeof sender === 'string' ? `${named}\0${sender}` : ''
}

async function takeOne(app: App, body: unknown, posting: Posting, key: string): Promise<Intake> {
  if (body instanceof Error) throw body
  const envelope = parsed(body, posting.channel)
  const channel = channelOf(app, envelope.channel)
  const { message_id: messageId, sender_name: senderName, reply_to: replyTo } = envelope
  const taken = await take(app.services, channel, {
    externalId: envelope.external_id,
    content: contentOf(envelope),
    senderName: senderName ?? null,
    replyTo: replyTo ?? null,
    details: detailsOf(envelope),
    dedupe:
      messageId !== undefined
        ? ofMessage(channel, messageId)
        : key !== ''
          ? ofIdempotencyKey(channel, key, JSON.stringify(body))
          : null,
    requestId: posting.requestId,
  })
  if (taken.disposition === 'conflict')
    throw new ApiError('idempotency_conflict', 'This Idempotency-Key was used for another body.')
  return taken
}

function parsed(body: unknown, channel: string | undefined): InboundEnvelope {
  const result = (channel === undefined ? InboundEnvelope : ChannelledEnvelope).safeParse(body)
  if (!result.success) throw inputError(result.error, 'body')
  const named = result.data.channel ?? channel
  if (channel !== undefined && named !== channel)
    throw new ApiError('bad_request', 'The body names another channel than the path.', {
      param: 'channel',
    })
  return { ...result.data, channel: named as string }
}

function channelOf(app: App, name: string): Channel {
  const channel = app.services.channels.byName(name)
  if (!channel?.isEnabled) throw notFound(`There is no channel ${JSON.stringify(name)}.`)
  return channel
}

function shown(taken: Intake): z.infer<typeof Taken> {
  return taken.disposition === 'accepted' || taken.disposition === 'duplicate'
    ? { disposition: 'accepted', message_id: taken.messageId, conversation_id: taken.conversationId }
    : { disposition: 'ignored' }
}

function failed(app: App, thrown: unknown, requestId: string): { status: number; error: object } {
  const known = knownError(thrown)
  if (known) return { status: known.status, error: envelopeOf(known).error }
  const code = `SVC-${requestId.slice(0, 16)}`
  app.log.error({ err: thrown, request_id: requestId, code }, 'an envelope was not taken for a reason of our own')
  return { status: 500, error: errorEnvelope('api_error', code, 'The service failed; its log has this code.').error }
}
