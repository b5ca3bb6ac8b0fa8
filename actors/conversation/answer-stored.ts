/** A post to a stored conversation: one turn at a time, in order, kept whole in the database, finished whoever watches. */
import type { ChatMessage } from '../../models/transport.ts'
import type { NewMessage } from '../../store/conversations/conversations.ts'
import { type ConversationId, newMessageId } from '../../store/id.ts'
import { type ConversationPast, emptyPast, extendPast, type PastMessage } from '../agent/context/past.ts'
import type { Answer } from './answer-once.ts'
import { askTurn, asRunningTurn, endOf } from './ask-turn.ts'
import { messagesWithoutSummary, readPast } from './history.ts'
import type { Post } from './messages.ts'
import { isWhole, orFailure, turnEnd, turnStart } from './record.ts'
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
  const past = await knownPast(context, post)
  const history = await toldOf(context, post, past)
  const said = post.messages.filter(isKept)
  // From here on only the database knows what is stored until both commits went through.
  histories.forget(conversation)
  const { changes } = context.state
  const start = turnStart(context, post, conversation)
  const accepted = await orFailure(
    conversations.accept({
      conversation,
      workspaceId: post.workspaceId,
      isNew: post.isNew && past.messages.length === 0 && past.summary === null,
      messages: said.map(newMessage),
      turn: start,
      origin: 'call',
    }),
  )
  if (accepted === 'unknown') throw unknownConversation()
  const instructions = post.messages.filter((message) => !isKept(message))
  feed.wake()
  const live = { conversation, startedXid: accepted.startedXid }
  const task = taskOf(post, { conversation, saidCount: said.length, past })
  const told = [...instructions, ...history, ...said]
  const outcome = endOf(await askTurn(context, { ...post, live, task }, told, context.stopped))
  const answer = outcome.status === 'completed' ? (outcome.choices[0]?.message as ChatMessage | undefined) : undefined
  const fate = await orFailure(
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
  if (fate !== 'fenced' && changes === context.state.changes && isWhole(outcome)) {
    const first = accepted.seq - said.length + 1
    const added: PastMessage[] = said.map((message, at) => ({ message, turnSeq: first + at }))
    if (answer && fate.seq !== null) added.push({ message: answer, turnSeq: fate.seq })
    histories.keep(conversation, extendPast(past, added, outcome.summary ?? null))
  }
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

async function knownPast(context: ConversationContext, post: Post): Promise<ConversationPast> {
  const { state, services } = context
  if (state.workspaceId !== undefined && state.workspaceId !== post.workspaceId) throw unknownConversation()
  const kept = services.histories.get(context.key as ConversationId)
  if (kept && state.workspaceId !== undefined) return kept
  if (post.isNew && state.workspaceId === undefined) {
    state.workspaceId = post.workspaceId
    return emptyPast
  }
  const stored = await orFailure(readPast(context, post.workspaceId, context.key as ConversationId))
  if (!stored) throw unknownConversation()
  state.workspaceId = post.workspaceId
  return stored
}

async function toldOf(context: ConversationContext, post: Post, past: ConversationPast): Promise<ChatMessage[]> {
  if (post.agent) return past.messages.map(({ message }) => message)
  return await orFailure(messagesWithoutSummary(context, post.workspaceId, context.key as ConversationId, past))
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
