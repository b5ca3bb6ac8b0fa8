/** Answers a post to a conversation: its messages and the answer are stored, each with its turn. */
import { cancelled } from '../../models/errors.ts'
import type { ChatMessage } from '../../models/transport.ts'
import { ActorMoved } from '../../runtime/actor/errors.ts'
import type { NewMessage } from '../../store/conversations/conversations.ts'
import { type ConversationId, newMessageId, type ResponseId } from '../../store/id.ts'
import type { OwnerId } from '../../store/owner-id.ts'
import { readTurn } from '../../store/turns/list.ts'
import { type ConversationPast, emptyPast, extendPast, type PastMessage } from '../agent/context/past.ts'
import { errorOf } from '../agent/outcome.ts'
import { askTurn, asRunningTurn, endedTurn, turnMoved } from '../turn/ask-turn.ts'
import type { EndedTurn, TurnDelta } from '../turn/messages.ts'
import { type CompletedTurn, type PostedTurn, payerOf, postedTask, turnStart } from '../turn/posted-turn.ts'
import { orTurnFailed, turnEnd } from '../turn/record.ts'
import { TurnFailed } from '../turn/turn-failed.ts'
import { settlingTokens } from '../usage/token-rates.ts'
import { isWholePast, messagesWithoutSummary, readPast } from './history.ts'
import type { ConversationContext } from './state.ts'

export interface Post extends PostedTurn {
  /** True: the conversation is to be made; false: it must exist. */
  isNew: boolean
  /** Of a new one: whose it is. */
  owner: OwnerId
  /** The turn of a stored response. */
  response?: PostedResponse | undefined
}

export interface PostedResponse {
  /** The place of the last message of the response that it continues; null: it begins a conversation. */
  afterSeq: number | null
  previous: ResponseId | null
  createdAtMs: number
  /** The fields that the response repeats. */
  request: object
  /** The first message is the instructions of this turn alone; all others are of the conversation, whatever their role. */
  hasInstructions: boolean
}

/** Beside the one that has its turn. */
export const postsWaitingMax = 15

export function conversationBusy(): TurnFailed {
  return new TurnFailed({
    code: 'conversation_busy',
    status: 429,
    message: `${postsWaitingMax + 1} posts wait for this conversation already.`,
    retryAfterMs: 1_000,
  })
}

/**
 * One turn of the conversation. Once it has begun it is finished and stored, whether its caller stays or leaves.
 * @param signal the caller's
 * @throws TurnFailed
 */
export async function answerPosted(
  context: ConversationContext,
  post: Post,
  signal: AbortSignal,
): Promise<CompletedTurn> {
  signal.throwIfAborted()
  // Nothing of it is stored yet: a client that repeats it to the next start posts it once.
  if (context.isDraining) throw draining()
  const held = context.services.leases.hold(context.key)
  if (!held) throw new ActorMoved(context.path)
  try {
    return await settlingTokens(context.services, post.tokenHold, (onUsed) =>
      asRunningTurn(context.services, post.turnId, () => answer(context, post, { lease: held.lease, onUsed })),
    )
  } finally {
    held.release()
  }
}

async function answer(
  context: ConversationContext,
  post: Post,
  { lease, onUsed }: { lease: number; onUsed(calls: EndedTurn['used']): void },
): Promise<CompletedTurn> {
  const { conversations, histories, feed } = context.services
  const conversation = context.key
  await orTurnFailed(context.services.budgets.check(payerOf(post, post.response ? 'responses' : 'call')))
  const past = await knownPast(context, post)
  const history = await promptHistory(context, post, past)
  const { response } = post
  const isKept = response
    ? (_message: ChatMessage, at: number) => at > 0 || !response.hasInstructions
    : isOfConversation
  const newMessages = post.messages.filter(isKept)
  const instructions = post.messages.filter((message, at) => !isKept(message, at))
  // From here on only the database knows what is stored until both commits went through.
  histories.forget(conversation)
  const { changes } = context.state
  const start = turnStart(post, conversation, new Date(context.clock.now()))
  const accepted = await orTurnFailed(
    conversations.accept({
      conversation,
      lease,
      workspaceId: post.workspaceId,
      isNew: post.isNew && past.messages.length === 0 && past.summary === null,
      owner: post.owner,
      messages: newMessages.map(newMessage),
      turn: start,
      ...(response ? ofResponse(response) : { origin: 'call' }),
    }),
  )
  if (accepted === 'moved') throw new ActorMoved(context.path)
  if (accepted === 'unknown') throw response ? conversationMoved() : unknownConversation()
  feed.wake()
  if (response) context.streams.open<TurnDelta>(post.turnId).write({ kind: 'accepted' })
  const request = {
    ...post,
    messages: [...instructions, ...history, ...newMessages],
    live: { conversation, startedXid: accepted.startedXid },
    task: post.agent && postedTask(post, agentPast(conversation, lease, newMessages, past)),
  }
  const outcome = endedTurn(await askTurn(context, request, context.stopped))
  onUsed(outcome.used)
  const reply = outcome.status === 'completed' ? (outcome.choices[0]?.message as ChatMessage | undefined) : undefined
  const stored = await orTurnFailed(
    conversations.answer({
      conversation,
      lease,
      workspaceId: post.workspaceId,
      turn: start.id,
      end: turnEnd(context.services.prices, outcome, context.clock.now()),
      result: response && outcome.status === 'completed' ? { usage: outcome.usage, extra: outcome.extra } : undefined,
      message: reply ? newMessage(reply) : null,
      delivery: null,
    }),
  )
  feed.wake()
  if (stored === 'fenced') throw await endedElsewhere(context, post, outcome)
  if (changes === context.state.changes && isWholePast(outcome)) {
    const firstSeq = accepted.seq - newMessages.length + 1
    const added: PastMessage[] = newMessages.map((message, at) => ({ message, turnSeq: firstSeq + at }))
    if (reply && stored.seq !== null) added.push({ message: reply, turnSeq: stored.seq })
    histories.keep(conversation, extendPast(past, added, outcome.summary ?? null))
  }
  if (outcome.status !== 'completed') throw new TurnFailed(outcome.error)
  return outcome
}

/** Nothing of the answer was stored: the turn was cancelled while it came, or its node taken for lost. Its caller hears of no answer. */
async function endedElsewhere(context: ConversationContext, post: Post, outcome: EndedTurn): Promise<TurnFailed> {
  if (outcome.status !== 'completed') return new TurnFailed(outcome.error)
  const turn = await orTurnFailed(readTurn(context.services.db, post.workspaceId, post.turnId))
  return new TurnFailed(turn?.status === 'cancelled' ? errorOf(cancelled()) : turnMoved.error)
}

/** What an agent is told of the conversation: instructions in it are in its system prompt. */
function agentPast(
  conversation: ConversationId,
  lease: number,
  newMessages: readonly ChatMessage[],
  past: ConversationPast,
) {
  const messages = past.messages.filter(({ message }) => isOfConversation(message))
  const newMessageCount = newMessages.filter(isOfConversation).length
  return { conversation, lease, newMessageCount, past: { ...past, messages } }
}

function ofResponse({ afterSeq, previous, createdAtMs, request }: PostedResponse) {
  return {
    origin: 'responses' as const,
    afterSeq: afterSeq ?? undefined,
    response: { previous, createdAt: new Date(createdAtMs), request },
  }
}

/** System and developer messages belong to their call; the rest is the conversation. */
function isOfConversation(message: ChatMessage): boolean {
  return message.role !== 'system' && message.role !== 'developer'
}

function newMessage(message: ChatMessage): NewMessage {
  return { id: newMessageId(), role: message.role, body: message }
}

async function knownPast(context: ConversationContext, post: Post): Promise<ConversationPast> {
  const { state, services } = context
  if (state.workspaceId !== undefined && state.workspaceId !== post.workspaceId) throw unknownConversation()
  const kept = services.histories.get(context.key)
  if (kept && state.workspaceId !== undefined) return kept
  if (post.isNew && state.workspaceId === undefined) {
    state.workspaceId = post.workspaceId
    return emptyPast
  }
  const stored = await orTurnFailed(readPast(context, post.workspaceId, context.key))
  if (!stored) throw unknownConversation()
  state.workspaceId = post.workspaceId
  return stored
}

async function promptHistory(context: ConversationContext, post: Post, past: ConversationPast): Promise<ChatMessage[]> {
  if (post.agent) return past.messages.map(({ message }) => message)
  return await orTurnFailed(messagesWithoutSummary(context, post.workspaceId, context.key, past))
}

function draining(): TurnFailed {
  return new TurnFailed({
    code: 'draining',
    status: 503,
    message: 'The service is stopping; the post was not taken.',
    retryAfterMs: 1_000,
  })
}

/** Another turn came first: whoever posted it can go on from a copy. */
function conversationMoved(): TurnFailed {
  return new TurnFailed({
    code: 'conversation_moved',
    status: 409,
    message: 'The conversation has gone on since.',
  })
}

export function unknownConversation(): TurnFailed {
  return new TurnFailed({
    code: 'conversation_not_found',
    status: 404,
    message: 'There is no such conversation in this workspace.',
  })
}
