/** A post to a stored conversation: one turn at a time, in order, kept whole in the database, finished whoever watches. */
import type { ChatMessage } from '../../models/transport.ts'
import type { NewMessage } from '../../store/conversations.ts'
import { loadMessages } from '../../store/history.ts'
import { type ConversationId, newMessageId } from '../../store/id.ts'
import type { Answer } from './answer-once.ts'
import { askTurn, asRunningTurn, endOf } from './ask-turn.ts'
import { historyMessagesMax } from './history.ts'
import type { Post } from './messages.ts'
import { orFailure, turnEnd, turnStart } from './record.ts'
import type { ConversationContext } from './state.ts'
import { taskOf } from './task-of.ts'
import { TurnFailed } from './turn-failed.ts'

/** Posts that may wait for their turn in one conversation. */
const waitingMax = 16

/** @param signal the caller's: while the post waits for its turn its leaving withdraws it, later it changes nothing. @throws TurnFailed */
export async function answerStored(context: ConversationContext, post: Post, signal: AbortSignal): Promise<Answer> {
  const { state } = context
  if (state.waiting >= waitingMax) {
    throw new TurnFailed({
      code: 'conversation_busy',
      status: 429,
      message: `${waitingMax} posts wait for this conversation already.`,
      retryAfterMs: 1_000,
    })
  }
  state.waiting++
  const before = state.turnBefore
  const mine = Promise.withResolvers<void>()
  state.turnBefore = mine.promise
  try {
    await before
    signal.throwIfAborted()
    // Nothing of it is stored yet: whoever says it again to the next start says it once.
    if (context.isDraining) throw stopping()
    return await asRunningTurn(context, post, () => answerInTurn(context, post))
  } finally {
    state.waiting--
    mine.resolve()
  }
}

async function answerInTurn(context: ConversationContext, post: Post): Promise<Answer> {
  const { conversations, histories, feed } = context.services
  const conversation = context.key as ConversationId
  const history = await knownHistory(context, post)
  const said = post.messages.filter(isKept)
  // From here on only the database knows what is stored until both commits went through.
  histories.forget(conversation)
  const { changes } = context.state
  const start = turnStart(context, post, conversation)
  const accepted = await orFailure(
    conversations.accept({
      conversation,
      workspaceId: post.workspaceId,
      isNew: post.isNew && history.length === 0,
      messages: said.map(newMessage),
      turn: start,
      origin: 'call',
    }),
  )
  if (accepted === 'unknown') throw unknownConversation()
  const instructions = post.messages.filter((message) => !isKept(message))
  feed.wake()
  const live = { conversation, startedXid: accepted.startedXid }
  const task = taskOf(post, { conversation, saidCount: said.length })
  const told = [...instructions, ...history, ...said]
  const outcome = endOf(await askTurn(context, { ...post, live, task }, told, context.stopped))
  const answer = outcome.status === 'completed' ? (outcome.choices[0]?.message as ChatMessage | undefined) : undefined
  await orFailure(
    conversations.answer({
      conversation,
      workspaceId: post.workspaceId,
      turn: start.id,
      end: turnEnd(outcome),
      message: answer ? newMessage(answer) : null,
      delivery: null,
    }),
  )
  feed.wake()
  if (changes === context.state.changes && !outcome.hasSpoken)
    histories.keep(conversation, [...history, ...said, ...(answer ? [answer] : [])].slice(-historyMessagesMax))
  if (outcome.status !== 'completed') throw new TurnFailed(outcome.error)
  return outcome
}

/** System and developer messages belong to their call; the rest is the conversation. */
function isKept(message: ChatMessage): boolean {
  return message.role !== 'system' && message.role !== 'developer'
}

function newMessage(message: ChatMessage): NewMessage {
  return { id: newMessageId(), role: message.role, body: message }
}

async function knownHistory(context: ConversationContext, post: Post): Promise<readonly ChatMessage[]> {
  const { state, services } = context
  if (state.workspaceId !== undefined && state.workspaceId !== post.workspaceId) throw unknownConversation()
  const kept = services.histories.get(context.key as ConversationId)
  if (kept && state.workspaceId !== undefined) return kept
  if (post.isNew && state.workspaceId === undefined) {
    state.workspaceId = post.workspaceId
    return []
  }
  const stored = await orFailure(
    loadMessages(services.db, post.workspaceId, context.key as ConversationId, historyMessagesMax),
  )
  if (!stored) throw unknownConversation()
  state.workspaceId = post.workspaceId
  return stored.map((message) => message.body as ChatMessage)
}

function stopping(): TurnFailed {
  return new TurnFailed({
    code: 'draining',
    status: 503,
    message: 'The service is stopping; the post was not taken.',
    retryAfterMs: 1_000,
  })
}

function unknownConversation(): TurnFailed {
  return new TurnFailed({
    code: 'conversation_not_found',
    status: 404,
    message: 'There is no such conversation in this workspace.',
  })
}
