/** Any application: it posts messages to the inbound endpoint, and gets answers by a signed webhook or reads them from the feed. */
import { createHmac, randomUUID } from 'node:crypto'
import { Agent, request } from 'undici'
import { z } from 'zod'
import { OutgoingRefused } from '../../../runtime/network/judge.ts'
import { type Outgoing, targetOf } from '../../../runtime/network/outgoing.ts'
import { retryAfterMs } from '../../../runtime/network/retry-after.ts'
import type { Clock } from '../../../runtime/time/clock.ts'
import {
  type AdapterDependencies,
  type ChannelCheck,
  type ChannelTransport,
  DeliveryFailed,
  defineAdapter,
  type OutgoingDelivery,
  type Sent,
} from '../adapter.ts'
import { inForm } from '../form.ts'

const Config = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .optional()
    .describe('Where answers are posted; absent: they are read from the feed.')
    .meta(
      inForm({
        label: { en: 'Address for answers', ru: 'Адрес для ответов' },
        help: {
          en: 'Each answer is posted there. Blank: your application reads the event feed.',
          ru: 'Туда отправляется каждый ответ. Пусто: ваше приложение читает ленту событий.',
        },
        placeholder: 'https://example.com/answers',
      }),
    ),
})

/** The form of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64. */
const Secrets = z.strictObject({
  signing_secret: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, 'must be whsec_ and 24 to 64 bytes in base64')
    .optional()
    .meta(
      inForm({
        label: { en: 'Signing secret', ru: 'Секрет подписи' },
        help: {
          en: 'whsec_ and 24 to 64 bytes in base64; answers are signed with it.',
          ru: 'whsec_ и от 24 до 64 байтов в base64; им подписаны ответы.',
        },
        isGenerated: true,
      }),
    ),
})

/** Statuses by which a receiver refuses permanently. */
const finalStatuses = new Set([400, 410, 413, 422])

const answerBytesMax = 65_536

export const generic = defineAdapter({
  name: 'generic',
  title: { en: 'Any application', ru: 'Любое приложение' },
  summary: 'Any application: messages by POST /v1/inbound, answers by signed webhook or from the feed',
  config: Config,
  secrets: Secrets,
  delivers: ({ url }) => url !== undefined,
  receives: () => false,
  destinations: ({ url }) => (url === undefined ? [] : [targetOf(new URL(url))]),
  checks: ({ name, config, secrets }, dependencies) =>
    config.url ? [webhookCheck({ name, url: config.url, secrets }, dependencies)] : [],
  open({ name, config, secrets }, { clock, outgoing }): ChannelTransport {
    const agent = webhookAgent(outgoing)
    const url = config.url ? new URL(config.url) : undefined

    async function send(delivery: OutgoingDelivery, signal: AbortSignal): Promise<Sent> {
      if (!url) throw new DeliveryFailed('the channel no longer has an address', { isFinal: true })
      const body = JSON.stringify(bodyOf(name, delivery))
      return await post(
        { url, id: delivery.id, body, secret: secrets.signing_secret },
        { agent, outgoing, clock, signal },
      )
    }

    return {
      async connect() {},
      destinationOf: () => url?.origin ?? '',
      send,
      close: () => agent.destroy(),
    }
  },
})

const webhookAgent = ({ connector }: Outgoing) =>
  new Agent({ connections: 32, pipelining: 1, keepAliveTimeout: 10_000, connect: connector })

interface Webhook {
  url: URL
  id: string
  body: string
  secret: string | undefined
}

/** @throws DeliveryFailed */
async function post(
  { url, id, body, secret }: Webhook,
  { agent, outgoing, clock, signal }: { agent: Agent; outgoing: Outgoing; clock: Clock; signal: AbortSignal },
): Promise<Sent> {
  const timestamp = String(Math.floor(clock.now() / 1_000))
  const answer = await request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'service-webhook',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      ...(secret && { 'webhook-signature': signature(secret, `${id}.${timestamp}.${body}`) }),
    },
    body,
    signal,
    dispatcher: agent,
  }).catch(async (error: Error) => {
    signal.throwIfAborted()
    throw notReached(await outgoing.laterFailure(url, error))
  })
  await answer.body.dump({ limit: answerBytesMax })
  return resultOf(answer.statusCode, retryAfterMs(answer.headers, clock))
}

/** Tried again also where the judge refuses: the owner may allow it, and an unknown name would be told from an internal one. */
function notReached(error: unknown): DeliveryFailed {
  if (error instanceof OutgoingRefused) return new DeliveryFailed(error.message)
  const { code } = error as { code?: unknown }
  return new DeliveryFailed(`the receiver cannot be reached${typeof code === 'string' ? ` (${code})` : ''}`, {
    cause: error,
  })
}

/** Signed like an answer, but with another type: receivers should ignore types that they do not know. */
function webhookCheck(
  { name, url, secrets }: { name: string; url: string; secrets: z.infer<typeof Secrets> },
  { clock, outgoing }: Pick<AdapterDependencies, 'clock' | 'outgoing'>,
): ChannelCheck {
  return {
    name: 'webhook',
    async run(signal) {
      const agent = webhookAgent(outgoing)
      const at = new Date(clock.now()).toISOString()
      const body = JSON.stringify({ type: 'channel.test', timestamp: at, data: { channel: name } })
      try {
        const webhook = { url: new URL(url), id: `test_${randomUUID()}`, body, secret: secrets.signing_secret }
        const { statusCode } = await post(webhook, { agent, outgoing, clock, signal })
        return `the receiver answered ${statusCode}`
      } finally {
        await agent.destroy()
      }
    },
  }
}

function bodyOf(channel: string, delivery: OutgoingDelivery): object {
  return {
    type: 'message.created',
    timestamp: delivery.createdAt.toISOString(),
    data: {
      delivery_id: delivery.id,
      channel,
      external_id: delivery.externalId,
      conversation_id: delivery.conversationId,
      message_id: delivery.messageId,
      text: delivery.text,
      ...(delivery.replyTo !== null && { reply_to: delivery.replyTo }),
    },
  }
}

/** @see Standard Webhooks, "Webhook Headers" and "Signature scheme" */
export function signature(secret: string, content: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}

function resultOf(status: number, retryAfterMs: number | undefined): Sent {
  if (status >= 200 && status < 300) return { statusCode: status, receipt: null }
  const message =
    status >= 300 && status < 400 ? `a redirect (${status}), which is not followed` : `the receiver answered ${status}`
  throw new DeliveryFailed(message, {
    isFinal: finalStatuses.has(status),
    statusCode: status,
    retryAfterMs,
  })
}
