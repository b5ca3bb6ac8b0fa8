/** Answers a turn that waited in the queue: it is claimed, run, and its answer is committed together with its delivery. */
import type { ChatMessage } from '../../models/transport.ts'
import { exponential, fullJitter } from '../../runtime/time/backoff.ts'
import { ms, seconds } from '../../runtime/time/duration.ts'
import { retried } from '../../runtime/time/retried.ts'
import type { NewMessage } from '../../store/conversations/conversations.ts'
import { newDeliveryId, newMessageId } from '../../store/id.ts'
import type { HeldTurn } from '../../store/turns/held.ts'
import { pauseTurn, turnsBehindPaused } from '../../store/turns/pauses.ts'
import { type ClaimedTurn, requeueTurn } from '../../store/turns/queue.ts'
import type { TurnEnd } from '../../store/turns/turns.ts'
import { type ConversationPast, extendPast } from '../agent/context/past.ts'
import { defaultAgentName } from '../agent/directory/definition.ts'
import { interruptedAfterMs, type RunResult } from '../queue/run-result.ts'
import { askTurn } from '../turn/ask-turn.ts'
import type { EndedTurn, TurnError, TurnOutcome } from '../turn/messages.ts'
import { turnEnd } from '../turn/record.ts'
import { TurnFailed } from '../turn/turn-failed.ts'
import { AgentMissing, agentTask } from './agent-task.ts'
import { isWholePast, pastBefore } from './history.ts'
import { showTyping } from './show-typing.ts'
import type { ConversationContext } from './state.ts'

export interface QueuedWork {
  /** True: everything that waits is answered by one turn. */
  isMerged: boolean
}

/** Attempts of a turn that fails by an outage, or crashes. */
const attemptsMax = 4

/**
 * Attempts of a turn during which the whole service ends each time: it may be what ends it. More than above, because all
 * turns that run are there when a service is killed, and nearly all of them have nothing to do with it.
 */
export const endingsMax = 20

/** Between attempts; the conversation waits meanwhile, for order. */
const rest = exponential(seconds(2), seconds(60))

/** Between attempts to reach a database that is away. */
const rewrite = fullJitter(ms(200), seconds(2))

/** The service stops: nothing is claimed, and the next start finds what waits. */
const draining: RunResult = { status: 'retry', merged: 0, afterMs: seconds(2) }

/** Another node answers here, or will; the count of what waits is its own. */
const elsewhere: RunResult = { status: 'empty' }

const attemptsExhausted = {
  code: 'attempts_exhausted',
  message: 'the service ended each time while this turn ran',
} as const

const ownFailure = { code: 'SVC-TURN', message: 'The turn failed because of an error in the service.' } as const

/** Runs the oldest turn that waits in this conversation. */
export async function answerQueued(context: ConversationContext, work: QueuedWork): Promise<RunResult> {
  if (context.isDraining) return draining
  const { key: conversation, services } = context
  const held = services.leases.hold(conversation)
  if (!held) return elsewhere
  try {
    return await answerNext(context, work, held.lease)
  } finally {
    held.release()
  }
}

async function answerNext(context: ConversationContext, work: QueuedWork, lease: number): Promise<RunResult> {
  const { key: conversation, services } = context
  const { claims, db, feed, log } = services
  const turn = await retryOutage(context, () => claims.claim({ conversation, lease, isMerged: work.isMerged }))
  if (!turn) {
    const behind = await retryOutage(context, () => turnsBehindPaused(db, conversation))
    // Nothing waits: it was cancelled, or the count of what waits was too high.
    return behind === null ? { status: 'empty' } : { status: 'blocked', behind }
  }
  feed.wake()
  // Recovery ends a turn that was attempted so often; a row that says so otherwise is not believed.
  if (turn.attempt > endingsMax) return await fail(context, turn, attemptsExhausted)
  try {
    return await runClaimed(context, turn)
  } catch (error) {
    if (error instanceof AgentMissing) {
      log.warn({ conversation, turn: turn.id, reason: error.message }, 'a queued turn has no agent to answer it')
      return await fail(context, turn, error)
    }
    log.error({ err: error, conversation, turn: turn.id }, 'a queued turn failed because of a defect')
    // A defect that comes back each time, such as an answer that cannot be stored, must not be retried for ever.
    if (turn.attempt < attemptsMax) return await giveBack(context, turn)
    return await fail(context, turn, ownFailure)
  }
}

async function runClaimed(context: ConversationContext, turn: ClaimedTurn): Promise<RunResult> {
  const { key: conversation, services, state } = context
  const { histories } = services
  // A call may have been answered here since this turn began: the history in memory would hold what this turn answers.
  if (turn.hasSteps) histories.forget(conversation)
  const past = await retryOutage(context, () => pastBefore(context, conversation, turn))
  histories.forget(conversation)
  const { changes } = state
  state.workspaceId = turn.workspaceId
  const task = agentTask(context, conversation, turn, past)
  const refusal = await overBudget(context, turn, task.agent.name)
  if (refusal) return await fail(context, turn, refusal, task.agent.name)
  const outcome = await run(context, turn, task)
  if (outcome.status === 'waiting') return await pause(context, turn)
  // The service stops: the next start answers, and this attempt does not count.
  if (isInterrupted(outcome, context)) return await giveBack(context, turn, { isForgiven: true })
  if (outcome.status === 'failed' && isRetryable(outcome.error, turn)) return await giveBack(context, turn)
  const message = answerOf(outcome)
  const isStored = await store(context, turn, { outcome, message, agent: task.agent.name })
  if (isStored && changes === state.changes && isWholePast(outcome)) {
    histories.keep(conversation, pastAfter(past, turn, { message, outcome }))
  }
  return { status: 'done', turns: turn.count }
}

/** What refuses it, if anything. */
async function overBudget(
  context: ConversationContext,
  { workspaceId, apiKeyId, operatorId, origin }: ClaimedTurn,
  agent: string,
): Promise<TurnFailed | undefined> {
  const { budgets } = context.services
  try {
    await retryOutage(context, () => budgets.check({ workspaceId, apiKeyId, operatorId, agent, origin }))
    return undefined
  } catch (error) {
    if (error instanceof TurnFailed) return error
    throw error
  }
}

async function run(
  context: ConversationContext,
  turn: ClaimedTurn,
  task: ReturnType<typeof agentTask>,
): Promise<TurnOutcome> {
  const { key: conversation, services, stopped } = context
  const { running, settings } = services
  const request = {
    turnId: turn.id,
    model: settings.get('SERVICE_LLM_MODEL') || defaultAgentName,
    messages: [...(task.past?.messages.map(({ message }) => message) ?? []), ...(turn.messages as ChatMessage[])],
    parameters: {},
    isStream: true,
    live: { conversation, startedXid: turn.startedXid },
    task,
  }
  running.enter(turn.id, Number.POSITIVE_INFINITY)
  const stopTyping = showTyping(context, turn)
  try {
    return await askTurn(context, request, stopped)
  } finally {
    running.leave(turn.id)
    stopTyping()
  }
}

/** @returns false: another node has taken the turn over */
async function store(
  context: ConversationContext,
  turn: ClaimedTurn,
  { outcome, message, agent }: { outcome: EndedTurn; message: NewMessage | null; agent: string },
): Promise<boolean> {
  const { key: conversation, services, clock } = context
  const { channels, conversations, feed } = services
  const delivery = message && turn.channelId ? channels.deliveryFor(turn.channelId) : null
  const answer = {
    conversation,
    lease: turn.lease,
    workspaceId: turn.workspaceId,
    turn: turn.id,
    end: turnEnd(services.prices, outcome, clock.now()),
    agent,
    message,
    delivery: delivery && { id: newDeliveryId(), expiresAt: new Date(clock.now() + delivery.ageMsMax) },
  }
  const stored = await retryOutage(context, () => conversations.answer(answer))
  feed.wake()
  if (stored === 'fenced') return false
  if (delivery && turn.channelId) channels.wake(turn.channelId)
  return true
}

/** All of a turn that waited takes the place of the last message that it answers. */
function pastAfter(
  past: ConversationPast,
  turn: ClaimedTurn,
  { message, outcome }: { message: NewMessage | null; outcome: EndedTurn },
): ConversationPast {
  const messages = [...turn.messages, ...(message ? [message.body] : [])] as ChatMessage[]
  const added = messages.map((message) => ({ message, turnSeq: turn.seq }))
  return extendPast(past, added, outcome.summary ?? null)
}

/** Where the service stops, the model call is cancelled as for a turn that its user stops. */
function isInterrupted({ status }: TurnOutcome, { stopped }: ConversationContext): boolean {
  return status === 'interrupted' || (status === 'cancelled' && stopped.aborted)
}

function isRetryable({ isOutage, code }: TurnError, turn: ClaimedTurn): boolean {
  return turn.attempt < attemptsMax && (isOutage === true || code === 'SVC-TURN')
}

/** It waits for an operator, and for nothing here: the decision puts it back into the queue. */
async function pause(context: ConversationContext, turn: ClaimedTurn): Promise<RunResult> {
  const { db, feed, approvals } = context.services
  const isPaused = await retryOutage(context, () => pauseTurn(db, heldTurn(context, turn)))
  feed.wake()
  // The decision may have come before the turn was paused.
  await retryOutage(context, () => approvals.resume(turn.id))
  return { status: isPaused ? 'paused' : 'done', turns: turn.count }
}

async function giveBack(
  context: ConversationContext,
  turn: ClaimedTurn,
  { isForgiven } = { isForgiven: false },
): Promise<RunResult> {
  const { db } = context.services
  await retryOutage(context, () => requeueTurn(db, heldTurn(context, turn), isForgiven ? 1 : 0))
  // Those that were merged into it stay merged: it waits for all of them.
  const afterMs = isForgiven ? interruptedAfterMs : rest.delayMs(turn.attempt, context.random)
  return { status: 'retry', merged: turn.count - 1, afterMs }
}

function heldTurn({ services }: ConversationContext, { id, lease }: ClaimedTurn): HeldTurn {
  return { id, node: services.leases.node, lease }
}

async function fail(
  context: ConversationContext,
  turn: ClaimedTurn,
  { code, message }: { code: string; message: string },
  agent?: string,
): Promise<RunResult> {
  const { conversations, feed, settings } = context.services
  const end: TurnEnd = {
    status: 'failed',
    model: settings.get('SERVICE_LLM_MODEL'),
    promptTokens: 0,
    completionTokens: 0,
    isUsageEstimated: true,
    finishReason: null,
    errorCode: code,
    errorMessage: message,
    timeToFirstTokenMs: null,
    durationMs: 0,
  }
  const answer = {
    conversation: context.key,
    lease: turn.lease,
    workspaceId: turn.workspaceId,
    turn: turn.id,
    end,
    agent,
    message: null,
    delivery: null,
  }
  await retryOutage(context, () => conversations.answer(answer))
  feed.wake()
  return { status: 'done', turns: turn.count }
}

/**
 * While the database is away the turn waits, and the model's answer is kept: each of these done twice is done once.
 * @throws what is no outage, and the outage once the actor stops: the next start finds the turn running and begins it again
 */
function retryOutage<Result>(
  { clock, random, stopped }: ConversationContext,
  work: () => Promise<Result>,
): Promise<Result> {
  return retried(work, { backoff: rewrite }, { clock, random, signal: stopped })
}

function answerOf(outcome: EndedTurn): NewMessage | null {
  const body = outcome.status === 'completed' ? outcome.choices[0]?.message : undefined
  return body ? { id: newMessageId(), role: 'assistant', body } : null
}
