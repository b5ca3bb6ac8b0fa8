/** Any application: it posts messages to the inbound endpoint, and gets answers by a signed webhook or reads them from the feed. */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { targetOf } from '../../../runtime/network/outgoing.ts'
import { postSigned, webhookAgent } from '../../outbox/signed-post.ts'
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
      return await postSigned(
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
        const { statusCode } = await postSigned(webhook, { agent, outgoing, clock, signal })
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
