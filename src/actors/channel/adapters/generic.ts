/** Any application: it posts messages to the inbound endpoint, and gets answers by a signed webhook or reads them from the feed. */
import { createHmac } from 'node:crypto'
import { Agent, request } from 'undici'
import { z } from 'zod'
import { retryAfterMs } from '../../../models/retry-after.ts'
import { type ChannelTransport, DeliveryFailed, defineAdapter, type OutgoingDelivery, type Sent } from '../adapter.ts'

const Config = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .optional()
    .describe('Where answers are posted; absent: they are read from the feed.'),
})

/** As Standard Webhooks has it: `whsec_` and 24 to 64 bytes in base64. */
const Secrets = z.strictObject({
  signing_secret: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, 'must be whsec_ and 24 to 64 bytes in base64')
    .optional(),
})

/** Statuses with which a receiver that understood says no for good. */
const finalStatuses = new Set([400, 410, 413, 422])

const answerBytesMax = 65_536

export const generic = defineAdapter({
  name: 'generic',
  summary: 'Any application: messages by POST /v1/inbound, answers by signed webhook or from the feed',
  config: Config,
  secrets: Secrets,
  delivers: ({ url }) => url !== undefined,
  receives: () => false,
  open({ name, config, secrets }, { clock }): ChannelTransport {
    const agent = new Agent({ connections: 32, pipelining: 1, keepAliveTimeout: 10_000 })
    const url = config.url ? new URL(config.url) : undefined

    async function send(delivery: OutgoingDelivery, signal: AbortSignal): Promise<Sent> {
      if (!url) throw new DeliveryFailed('the channel has no address any more', { isFinal: true })
      const body = JSON.stringify(bodyOf(name, delivery))
      const timestamp = String(Math.floor(clock.now() / 1_000))
      const answer = await request(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'service-webhook',
          'webhook-id': delivery.id,
          'webhook-timestamp': timestamp,
          ...(secrets.signing_secret && {
            'webhook-signature': signature(secrets.signing_secret, `${delivery.id}.${timestamp}.${body}`),
          }),
        },
        body,
        signal,
        dispatcher: agent,
      })
      await answer.body.dump({ limit: answerBytesMax })
      return judged(answer.statusCode, retryAfterMs(answer.headers, clock))
    }

    return {
      async connect() {},
      destinationOf: () => url?.origin ?? '',
      send,
      close: () => agent.destroy(),
    }
  },
})

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

function judged(status: number, retryAfterMs: number | undefined): Sent {
  if (status >= 200 && status < 300) return { statusCode: status, receipt: null }
  const said =
    status >= 300 && status < 400 ? `a redirect (${status}), which is not followed` : `the receiver answered ${status}`
  throw new DeliveryFailed(said, {
    isFinal: finalStatuses.has(status),
    statusCode: status,
    retryAfterMs,
  })
}
