/** The way of a message through the store, step by step: taken, claimed, answered, delivered. By node 1, under the first lease. */
import type { StoredChannel } from '../../../store/channels.ts'
import { conversationWriter } from '../../../store/conversations/conversations.ts'
import type { Database } from '../../../store/database.ts'
import type { Attempt } from '../../../store/deliveries/deliveries.ts'
import {
  type ConversationId,
  type DeliveryId,
  newConversationId,
  newDeliveryId,
  newMessageId,
  newTurnId,
} from '../../../store/id.ts'
import { type InboundMessage, intakeWriter } from '../../../store/intake.ts'
import { type ClaimedTurn, claimWriter } from '../../../store/turns/queue.ts'
import { turnEnd } from './turns.ts'

export function inboundMessage(
  channel: Pick<StoredChannel, 'id' | 'workspaceId'>,
  externalId: string,
  differing: Partial<InboundMessage> = {},
): InboundMessage {
  return {
    channelId: channel.id,
    workspaceId: channel.workspaceId,
    externalId,
    conversationId: newConversationId(),
    messageId: newMessageId(),
    turnId: newTurnId(),
    dedupe: null,
    isBindingRequired: true,
    content: 'hello',
    senderName: null,
    replyTo: null,
    requestId: 'r',
    ...differing,
  }
}

/** @returns the conversation that it is in */
export async function messageOf(db: Database, channel: StoredChannel, externalId: string): Promise<ConversationId> {
  const intake = intakeWriter(db, 1)
  const accepted = await intake.take(inboundMessage(channel, externalId))
  await intake.close()
  if (!('conversationId' in accepted)) throw new Error(`the message was not taken: ${accepted.disposition}`)
  return accepted.conversationId
}

export async function claimed(db: Database, conversation: ConversationId): Promise<ClaimedTurn> {
  const claims = claimWriter(db, 1)
  const turn = await claims.claim({ conversation, lease: 1, isMerged: false })
  await claims.close()
  if (!turn) throw new Error('no turn waits')
  return turn
}

export async function answered(db: Database, turn: ClaimedTurn, conversation: ConversationId): Promise<DeliveryId> {
  const writer = conversationWriter(db, 1)
  const delivery = { id: newDeliveryId(), expiresAt: new Date(Date.now() + 3_600_000) }
  const message = { id: newMessageId(), role: 'assistant', body: { role: 'assistant', content: 'hi' } }
  await writer.answer({
    conversation,
    lease: turn.lease,
    workspaceId: turn.workspaceId,
    turn: turn.id,
    end: turnEnd(),
    message,
    delivery,
  })
  await writer.close()
  return delivery.id
}

export function deliveredAttempt(delivery: DeliveryId): Attempt {
  return {
    delivery,
    lease: 1,
    outcome: 'delivered',
    status: 'delivered',
    at: new Date(),
    durationMs: 5,
    statusCode: 200,
    error: null,
    receipt: null,
    nextAt: null,
  }
}
