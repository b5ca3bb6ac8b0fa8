/** A chatapp transport as a channel's actor would open it, with a scripted intake behind it. */
import type { ChannelTransport, IncomingMessage, OutgoingDelivery } from '../../../../../actors/channel/adapter.ts'
import { chatapp } from '../../../../../actors/channel/adapters/chatapp.ts'
import type { ChannelWebhook } from '../../../../../actors/channel/webhooks.ts'
import { seededRandom } from '../../../../../runtime/random.ts'
import { type Clock, systemClock } from '../../../../../runtime/time/clock.ts'
import { newConversationId, newDeliveryId, newMessageId } from '../../../../../store/id.ts'
import { toLoopback } from '../../../../support/outgoing.ts'
import { type RecordedLine, recordingLog } from '../../../../support/recording-log.ts'
import { noWebhook } from '../../support/no-webhook.ts'
import { botToken } from './bot-server.ts'

export interface OpenChannel {
  transport: ChannelTransport
  /** Committed, in the order of the commits. */
  taken: IncomingMessage[]
  /** Tries, also those that failed. */
  tried: IncomingMessage[]
  lines: RecordedLine[]
  connect(): Promise<void>
}

export interface OpenOptions {
  config?: object
  secrets?: object
  clock?: Clock
  /** Default: CHATAPP_PUBLIC_URL is blank. */
  webhook?: ChannelWebhook
  /** What the intake does before it commits; a throw is its refusal. */
  take?: (message: IncomingMessage) => void | Promise<void>
}

export function openChannel(apiBase: string, options: OpenOptions = {}): OpenChannel {
  const { log, lines } = recordingLog()
  const takenMessages: IncomingMessage[] = []
  const tried: IncomingMessage[] = []
  const transport = chatapp.open(
    {
      name: 'chat',
      config: chatapp.config.parse({ api_base: apiBase, ...options.config }),
      secrets: chatapp.secrets.parse({ bot_token: botToken, ...options.secrets }),
    },
    {
      clock: options.clock ?? systemClock,
      outgoing: toLoopback,
      webhook: options.webhook ?? noWebhook,
      random: seededRandom(1),
      log,
      async take(message) {
        tried.push(message)
        await options.take?.(message)
        takenMessages.push(message)
      },
    },
  )
  return {
    transport,
    taken: takenMessages,
    tried,
    lines,
    connect: () => transport.connect(new AbortController().signal),
  }
}

export function deliveryOf(text: string, differing: Partial<OutgoingDelivery> = {}): OutgoingDelivery {
  return {
    id: newDeliveryId(),
    conversationId: newConversationId(),
    messageId: newMessageId(),
    externalId: '42',
    replyTo: { chat_id: 42, message_id: 7 },
    text,
    attempts: 0,
    createdAt: new Date(),
    ...differing,
  }
}

export const noSignal = (): AbortSignal => new AbortController().signal
