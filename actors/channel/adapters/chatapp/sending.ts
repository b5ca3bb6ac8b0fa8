/** Sends an answer as one message or several. A retry leaves out the messages that it knows were sent. */
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { DeliveryId } from '../../../../store/id.ts'
import { DeliveryFailed, type OutgoingDelivery, type Sent } from '../../adapter.ts'
import { type BotApi, BotApiFailed } from './api.ts'
import { splitText } from './split.ts'
import { ReplyTo } from './update.ts'

/** UTF-16 units of one message. */
export const messageLengthMax = 4_096
/** An answer with more messages is refused as a mistake. */
export const partsMax = 50

/** Refusals that a retry would get again: the chat is gone, the sender has blocked us, the text is not allowed. */
const finalStatuses = new Set([400, 403, 413])

const Message = z.object({ message_id: z.int() })

/** The ids of the sent messages of each delivery. Shared by successive transports, so that a reopened channel continues where it was. */
export type SentParts = LRUCache<DeliveryId, number[]>

export const sentParts = (): SentParts => new LRUCache({ max: 10_000 })

/** @throws DeliveryFailed, or the signal's reason */
export async function sendText(
  api: BotApi,
  memory: SentParts,
  delivery: OutgoingDelivery,
  signal: AbortSignal,
): Promise<Sent> {
  const parts = partsOf(delivery.text)
  const sent = memory.get(delivery.id) ?? []
  memory.set(delivery.id, sent)
  for (const text of parts.slice(sent.length)) {
    const reply = sent.length === 0 ? replyParameters(delivery) : undefined
    try {
      const message = await api.call(
        'sendMessage',
        { chat_id: chatIdOf(delivery.externalId), text, ...(reply && { reply_parameters: reply }) },
        { result: Message, signal },
      )
      sent.push(message.message_id)
    } catch (error) {
      throw error instanceof BotApiFailed ? deliveryFailed(error) : error
    }
  }
  return { statusCode: 200, receipt: sent.join(',') }
}

function partsOf(text: string): string[] {
  // The bot API refuses a message of only white space.
  const parts = splitText(text.toWellFormed(), messageLengthMax).filter((part) => part.trim() !== '')
  if (parts.length === 0) throw new DeliveryFailed('the answer has no text to send', { isFinal: true })
  if (parts.length > partsMax) {
    throw new DeliveryFailed(`the answer would take ${parts.length} messages, and ${partsMax} are allowed`, {
      isFinal: true,
    })
  }
  return parts
}

/** In a group the answer is a reply, so that it shows whom it is for and stays in the topic. */
function replyParameters({ externalId, replyTo }: OutgoingDelivery): object | undefined {
  const to = ReplyTo.safeParse(replyTo).data
  if (!to || to.chat_id >= 0 || String(to.chat_id) !== externalId) return undefined
  return { message_id: to.message_id, allow_sending_without_reply: true }
}

export function chatIdOf(externalId: string): number | string {
  const id = Number(externalId)
  return Number.isSafeInteger(id) && String(id) === externalId ? id : externalId
}

function deliveryFailed(error: BotApiFailed): DeliveryFailed {
  const { message, statusCode, isAnswer, retryAfterMs } = error
  const isFinal = isAnswer && statusCode !== null && finalStatuses.has(statusCode)
  return new DeliveryFailed(message, { isFinal, statusCode, retryAfterMs, cause: error })
}
