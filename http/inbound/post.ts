/** `POST /v1/inbound`: one to a thousand messages of a channel. Answered with 202 after the commit. */
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

const IntakeResult = z.object({
  disposition: z.enum(['accepted', 'ignored']),
  message_id: MessageId.optional(),
  conversation_id: ConversationId.optional(),
})

const Results = z.object({
  results: z.array(
    z.object({
      index: z.int(),
      status: z.int(),
      ...IntakeResult.partial().shape,
      error: z.object({ message: z.string(), type: z.string(), code: z.string() }).optional(),
    }),
  ),
})

const description =
  'Takes one envelope, an array, or lines of JSON (application/x-ndjson), up to 1,000, with a result for each. A repeated ' +
  'message_id of a channel, or a repeated Idempotency-Key, is stored once and answered as the first time. Messages of a ' +
  'sender without a binding are ignored while SERVICE_INBOUND_REQUIRE_BINDING is true.'

const shared = {
  method: 'POST',
  description,
  tag: 'inbound',
  access: inbound,
  headers: [idempotencyHeader],
  bodyBytesMax: 8 * 1_048_576,
  takesLines: true,
  body: z.unknown(),
  answers: { 202: z.union([IntakeResult, Results]) },
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

interface PostOptions {
  requestId: string
  /** Empty: none was sent. */
  key: string
  channel?: string
}

function answer(app: App, body: unknown, options: PostOptions): Promise<Answer> {
  if (options.key.length > 255) throw new ApiError('bad_request', 'The Idempotency-Key is longer than 255 characters.')
  if (body instanceof JsonLines) return answerAll(app, body.items, options)
  if (Array.isArray(body)) return answerAll(app, body, options)
  return answerOne(app, body, options)
}

async function answerOne(app: App, body: unknown, options: PostOptions): Promise<Answer> {
  const intake = await takeOne(app, body, options, options.key)
  return reply(
    202,
    resultOf(intake),
    intake.disposition === 'duplicate' ? { 'idempotent-replayed': 'true' } : undefined,
  )
}

async function answerAll(app: App, items: readonly unknown[], options: PostOptions): Promise<Answer> {
  if (items.length > itemsMax)
    throw new ApiError('too_many_items', `At most ${itemsMax} envelopes fit into one request.`)
  /** The last item of each sender: the next one waits for it, because two statements may overtake each other. */
  const last = new Map<string, Promise<unknown>>()
  const results = await Promise.all(
    items.map((item, index) => {
      const sender = senderOf(item, options.channel)
      const key = options.key && `${options.key}#${index}`
      const result = (async () => {
        await last.get(sender)
        try {
          return { index, status: 202, ...resultOf(await takeOne(app, item, options, key)) }
        } catch (error) {
          return { index, ...itemFailure(app, error, options.requestId) }
        }
      })()
      last.set(sender, result)
      return result
    }),
  )
  return reply(202, { results })
}

/** Empty for items that are no envelopes; they are refused later. */
function senderOf(item: unknown, channel = ''): string {
  const { channel: named = channel, external_id: sender } = (item ?? {}) as { channel?: unknown; external_id?: unknown }
  return typeof named === 'string' && typeof sender === 'string' ? `${named}\0${sender}` : ''
}

async function takeOne(app: App, body: unknown, options: PostOptions, key: string): Promise<Intake> {
  if (body instanceof Error) throw body
  const envelope = parseEnvelope(body, options.channel)
  const channel = channelOf(app, envelope.channel)
  const { message_id: messageId, sender_name: senderName, reply_to: replyTo } = envelope
  const intake = await take(app.services, channel, {
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
    requestId: options.requestId,
  })
  if (intake.disposition === 'conflict')
    throw new ApiError('idempotency_conflict', 'This Idempotency-Key was used for another body.')
  return intake
}

function parseEnvelope(body: unknown, channel: string | undefined): InboundEnvelope {
  const result = (channel === undefined ? InboundEnvelope : ChannelledEnvelope).safeParse(body)
  if (!result.success) throw inputError(result.error, 'body')
  const named = result.data.channel ?? channel
  if (channel !== undefined && named !== channel)
    throw new ApiError('bad_request', 'The channel in the body differs from the one in the path.', {
      param: 'channel',
    })
  return { ...result.data, channel: named as string }
}

function channelOf(app: App, name: string): Channel {
  const channel = app.services.channels.byName(name)
  if (!channel?.isEnabled) throw notFound(`There is no channel ${JSON.stringify(name)}.`)
  return channel
}

function resultOf(intake: Intake): z.infer<typeof IntakeResult> {
  return intake.disposition === 'accepted' || intake.disposition === 'duplicate'
    ? { disposition: 'accepted', message_id: intake.messageId, conversation_id: intake.conversationId }
    : { disposition: 'ignored' }
}

function itemFailure(app: App, thrown: unknown, requestId: string): { status: number; error: object } {
  const known = knownError(thrown)
  if (known) return { status: known.status, error: envelopeOf(known).error }
  const code = `SVC-${requestId.slice(0, 16)}`
  app.log.error({ err: thrown, request_id: requestId, code }, 'defect while taking an envelope')
  return { status: 500, error: errorEnvelope('api_error', code, 'The service failed. Its log has this code.').error }
}
