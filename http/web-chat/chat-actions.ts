/** What a web chat can do in its conversation: say something, stop an answer, have it made anew. */
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
  /** True until its first message has made it. */
  isNew: boolean
  /** Settles when everything said so far is stored, or refused: what is said next comes behind it. */
  said: Promise<unknown>
  requestId: string
  clientIp: string
}

interface Said {
  message_id: MessageId
  turn_id: TurnId
}

export function say(chat: WebChat, text: string): Promise<Said> {
  const saying = chat.said.then(() => sayNow(chat, text))
  chat.said = saying.catch(() => undefined)
  return saying
}

async function sayNow(chat: WebChat, text: string): Promise<Said> {
  const { app, conversation, workspaceId } = chat
  const message = { id: newMessageId(), role: 'user', body: { role: 'user', content: text } }
  const turnId = newTurnId()
  const accept = (isNew: boolean) =>
    app.services.conversations.accept({
      conversation,
      workspaceId,
      isNew,
      messages: [message],
      origin: 'web',
      turn: {
        id: turnId,
        workspaceId,
        conversationId: conversation,
        apiKeyId: chat.principal.keyId,
        requestId: chat.requestId,
        model: '',
        isStream: true,
        startedAt: new Date(app.clock.now()),
      },
    })
  const accepted = await app.services.queue.enter(
    'none',
    async () => {
      const made = chat.isNew ? await accept(true) : 'unknown'
      // Made by an earlier socket of the same ticket, or long known.
      return made === 'unknown' ? await accept(false) : made
    },
    (result) => (result === 'unknown' ? null : conversation),
  )
  if (accepted === 'unknown') throw notFound('There is no such conversation in this workspace.')
  chat.isNew = false
  return { message_id: message.id, turn_id: turnId }
}

/** @param turn undefined: the one that runs */
export async function stop(chat: WebChat, turn: TurnId | undefined): Promise<{ turn_id: TurnId }> {
  const { app, conversation, workspaceId } = chat
  const turnId = turn ?? app.services.liveTurns.current(conversation)?.turnId
  const isCancelled =
    turnId && (await cancelTurn(app, { workspaceId, conversation, turn: turnId, reason: 'cancelled by the user' }))
  if (!turnId || !isCancelled) throw notFound('No turn of this conversation waits or runs under this name.')
  return { turn_id: turnId }
}

export async function again(chat: WebChat): Promise<{ turn_id: TurnId }> {
  const { app, conversation, principal } = chat
  const turn = { id: newTurnId(), apiKeyId: principal.keyId, epoch: app.services.epoch }
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
    throw new ApiError('cannot_regenerate', 'There is nothing to answer anew, or a turn waits or runs.')
  return { turn_id: turn.id }
}
