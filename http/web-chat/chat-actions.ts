/** What a web chat can do in its conversation: send a message, cancel an answer, regenerate it. */
import { cancelTurn } from '../../actors/conversation/cancel-turn.ts'
import { regenerateAnswer } from '../../store/conversations/turns.ts'
import {
  type ConversationId,
  type MessageId,
  newMessageId,
  newTurnId,
  type TurnId,
  type WorkspaceId,
} from '../../store/id.ts'
import { operatorOf } from '../../store/owner-id.ts'
import type { Principal } from '../access.ts'
import { auditActor } from '../admin/audit-actor.ts'
import { forgetHistory } from '../admin/conversations/forget-history.ts'
import type { App } from '../app.ts'
import { ApiError, notFound } from '../error.ts'

export interface WebChat {
  app: App
  principal: Principal
  workspaceId: WorkspaceId
  conversation: ConversationId
  /** True until its first message has created it. */
  isNew: boolean
  /** Settles when all messages so far are stored or refused. The next one waits for it, so they keep their order. */
  pendingMessages: Promise<unknown>
  requestId: string
  clientIp: string
}

interface SentMessage {
  message_id: MessageId
  turn_id: TurnId
}

const payingKeyOf = ({ payingKeyId, keyId }: Principal) => payingKeyId ?? keyId

export function sendMessage(chat: WebChat, text: string): Promise<SentMessage> {
  const stored = chat.pendingMessages.then(() => storeMessage(chat, text))
  chat.pendingMessages = stored.catch(() => undefined)
  return stored
}

async function storeMessage(chat: WebChat, text: string): Promise<SentMessage> {
  const { app, conversation, workspaceId } = chat
  const message = { id: newMessageId(), role: 'user', body: { role: 'user', content: text } }
  const turnId = newTurnId()
  const accept = (isNew: boolean) =>
    app.services.conversations.accept({
      conversation,
      lease: null,
      workspaceId,
      isNew,
      owner: chat.principal.owner,
      messages: [message],
      origin: 'web',
      turn: {
        id: turnId,
        workspaceId,
        conversationId: conversation,
        apiKeyId: payingKeyOf(chat.principal),
        operatorId: operatorOf(chat.principal.owner),
        requestId: chat.requestId,
        model: '',
        isStream: true,
        startedAt: new Date(app.clock.now()),
      },
    })
  const accepted = await app.services.queue.enter(
    'none',
    async () => {
      const created = chat.isNew ? await accept(true) : 'unknown'
      // An earlier socket of the same ticket may have created it.
      return created === 'unknown' ? await accept(false) : created
    },
    (result) => (result === 'unknown' ? null : conversation),
  )
  if (accepted === 'unknown') throw notFound('There is no such conversation in this workspace.')
  chat.isNew = false
  return { message_id: message.id, turn_id: turnId }
}

/** @param turn undefined: the running one */
export async function cancelAnswer(chat: WebChat, turn: TurnId | undefined): Promise<{ turn_id: TurnId }> {
  const { app, conversation, workspaceId } = chat
  const turnId = turn ?? app.services.liveTurns.current(conversation)?.turnId
  const isCancelled =
    turnId && (await cancelTurn(app, { workspaceId, conversation, turn: turnId, reason: 'cancelled by the user' }))
  if (!turnId || !isCancelled) throw notFound('This conversation has no waiting or running turn with this id.')
  return { turn_id: turnId }
}

export async function regenerate(chat: WebChat): Promise<{ turn_id: TurnId }> {
  const { app, conversation, principal } = chat
  const operatorId = operatorOf(principal.owner)
  const turn = { id: newTurnId(), apiKeyId: payingKeyOf(principal), operatorId, node: app.services.leases.node }
  const actor = auditActor(chat)
  const outcome = await app.services.queue.enter(
    'none',
    async () => {
      const stored = await regenerateAnswer(app.db, actor, conversation, turn)
      if (stored === 'queued') forgetHistory(app, conversation)
      return stored
    },
    (result) => (result === 'queued' ? conversation : null),
  )
  if (outcome !== 'queued')
    throw new ApiError('cannot_regenerate', 'There is no answer to regenerate, or a turn waits or runs.')
  return { turn_id: turn.id }
}
