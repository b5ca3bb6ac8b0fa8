/** A turn that waited in the queue: claimed, answered, and its answer committed together with its delivery. */
import type { ChatMessage } from '../../models/transport.ts'
import { BatchFull } from '../../runtime/batcher.ts'
import { exponential, fullJitter } from '../../runtime/time/backoff.ts'
import { sleep } from '../../runtime/time/clock.ts'
import { ms, seconds } from '../../runtime/time/duration.ts'
import type { NewMessage, TurnAnswer } from '../../store/conversations/conversations.ts'
import { DatabaseDown } from '../../store/errors.ts'
import { type ConversationId, newDeliveryId, newMessageId } from '../../store/id.ts'
import { pauseTurn, turnsBehindPaused } from '../../store/turns/pauses.ts'
import { type ClaimedTurn, requeueTurn } from '../../store/turns/queue.ts'
import type { TurnEnd } from '../../store/turns/turns.ts'
import { extendPast, type PastMessage } from '../agent/context/past.ts'
import { defaultAgentName } from '../agent/directory/definition.ts'
import { channel as channelActor } from '../channel/actor.ts'
import type { RunResult } from '../queue/run-result.ts'
import type { EndedTurn, TurnError, TurnOutcome } from '../turn/messages.ts'
import { askTurn } from './ask-turn.ts'
import { pastBefore } from './history.ts'
import { isWhole, turnEnd } from './record.ts'
import type { ConversationContext } from './state.ts'
import { AgentMissing, queuedTask } from './task-of.ts'

export interface Work {
  /** True: everything that waits is answered by one turn. */
  isMerged: boolean
}

/** A turn that fails with what may pass, or crashes, is begun this often. */
const attemptsMax = 4

/**
 * One during which the whole service ends is begun this often: it may be what ends it. More than above, because all turns
 * that ran are there when a service is killed, and nearly all of them have nothing to do with it.
 */
export const endingsMax = 20

/** Chat applications show it for some five seconds. */
const typingMs = seconds(4)

/** The service stops: nothing is taken, and the next start finds what waits. */
const stopping: RunResult = { status: 'retry', merged: 0, afterMs: seconds(2) }

/** Between attempts; the conversation waits meanwhile, for order. */
const rest = exponential(seconds(2), seconds(60))

/** Between tries to write while the database is away. */
const rewrite = fullJitter(ms(200), seconds(2))

/** Runs the oldest turn that waits in this conversation, behind whatever has its turn now. */
export async function answerQueued(context: ConversationContext, work: Work): Promise<RunResult> {
  const { state } = context
  const before = state.turnBefore
  const mine = Promise.withResolvers<void>()
  state.turnBefore = mine.promise
  try {
    await before
    return context.isDraining ? stopping : await runOldest(context, work)
  } finally {
    mine.resolve()
  }
}

async function runOldest(context: ConversationContext, work: Work): Promise<RunResult> {
  const { claims, feed, log } = context.services
  const conversation = context.key as ConversationId
  const turn = await patiently(context, () => claims.claim({ conversation, isMerged: work.isMerged }))
  if (!turn) {
    const behind = await patiently(context, () => turnsBehindPaused(context.services.db, conversation))
    // Nothing waits: it was cancelled, or the count of what waits was too high.
    return behind === null ? { status: 'empty' } : { status: 'blocked', behind }
  }
  feed.wake()
  try {
    return await runClaimed(context, conversation, turn)
  } catch (error) {
    if (error instanceof AgentMissing) {
      log.warn({ conversation, turn: turn.id, reason: error.message }, 'a queued turn has no agent to answer it')
      return await giveUp(context, conversation, turn, error)
    }
    log.error({ err: error, conversation, turn: turn.id }, 'a queued turn could not be carried through')
    if (turn.attempt < attemptsMax) return await again(context, turn, 0)
    return await giveUp(context, conversation, turn, ownFailure)
  }
}

const ownFailure = { code: 'SVC-TURN', message: 'The turn failed for a reason of the service’s own.' }

/** What fails for a reason of the service's own each time, such as an answer that cannot be stored, must not be tried for ever. */
async function giveUp(
  context: ConversationContext,
  conversation: ConversationId,
  turn: ClaimedTurn,
  { code, message }: { code: string; message: string },
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
  const answer = { conversation, workspaceId: turn.workspaceId, turn: turn.id, end, message: null, delivery: null }
  await patiently(context, () => conversations.answer(answer))
  feed.wake()
  return { status: 'done', turns: turn.count }
}

async function runClaimed(
  context: ConversationContext,
  conversation: ConversationId,
  turn: ClaimedTurn,
): Promise<RunResult> {
  const { settings, conversations, channels, histories, feed, running } = context.services
  const said = turn.messages as ChatMessage[]
  // A call may have been answered here since this turn was begun: what is remembered then holds what this turn is told.
  if (turn.hasSteps) histories.forget(conversation)
  const past = await patiently(context, () => pastBefore(context, conversation, turn))
  histories.forget(conversation)
  const task = queuedTask(context, conversation, turn, past)
  const { changes } = context.state
  context.state.workspaceId = turn.workspaceId
  running.enter(turn.id, Number.POSITIVE_INFINITY)
  const stopTyping = showTyping(context, turn)
  let outcome: TurnOutcome
  try {
    outcome = await askTurn(
      context,
      {
        turnId: turn.id,
        model: settings.get('SERVICE_LLM_MODEL') || defaultAgentName,
        parameters: {},
        isStream: true,
        live: { conversation, startedXid: turn.startedXid },
        task,
      },
      [...past.messages.map(({ message }) => message), ...said],
      context.stopped,
    )
  } finally {
    running.leave(turn.id)
    stopTyping()
  }
  if (outcome.status === 'waiting') return await putAside(context, turn)
  // The service stops: the next start answers, and this try does not count.
  if (isInterrupted(outcome, context)) return await again(context, turn, 1)
  if (outcome.status === 'failed' && isWorthAnother(outcome.error, turn)) return await again(context, turn, 0)
  const message = answerOf(outcome)
  const delivery = message && turn.channelId ? channels.deliveryFor(turn.channelId) : null
  const answer: TurnAnswer = {
    conversation,
    workspaceId: turn.workspaceId,
    turn: turn.id,
    end: turnEnd(outcome),
    agent: task.agent.name,
    message,
    delivery: delivery && { id: newDeliveryId(), expiresAt: new Date(context.clock.now() + delivery.ageMsMax) },
  }
  const fate = await patiently(context, () => conversations.answer(answer))
  feed.wake()
  if (fate !== 'fenced') {
    if (changes === context.state.changes && isWhole(outcome)) {
      const added = [...said, ...(message ? [message.body as ChatMessage] : [])]
      histories.keep(conversation, extendPast(past, inTurn(added, turn), outcome.summary ?? null))
    }
    if (delivery && turn.channelId) channels.wake(turn.channelId)
  }
  return { status: 'done', turns: turn.count }
}

/** All of a turn that waited stands in the place of the last message that it answers. */
function inTurn(messages: readonly ChatMessage[], { seq }: ClaimedTurn): PastMessage[] {
  return messages.map((message) => ({ message, turnSeq: seq }))
}

/** Where the service stops, the word to the model is the same as for a turn that its user stops. */
function isInterrupted({ status }: TurnOutcome, { stopped }: ConversationContext): boolean {
  return status === 'interrupted' || (status === 'cancelled' && stopped.aborted)
}

/** The sender sees that an answer is being made, where the channel can show it. @returns ends it */
function showTyping(context: ConversationContext, { channelId, externalId, replyTo }: ClaimedTurn): () => void {
  const { services, clock } = context
  if (!channelId || externalId === null || !services.channels.showsTyping(channelId)) return () => {}
  const channel = context.actor(channelActor, channelId)
  const sign = { externalId, replyTo }
  let timer = clock.after(0, show)
  function show(): void {
    try {
      channel.tell('typing', sign)
    } catch {
      // The channel has more to do than to show signs.
    }
    timer = clock.after(typingMs, show)
  }
  return () => timer.cancel()
}

function isWorthAnother({ isOutage, code }: TurnError, turn: ClaimedTurn): boolean {
  return turn.attempt < attemptsMax && (isOutage === true || code === 'SVC-TURN')
}

/** It waits for an operator's word, and for nothing here: whatever gives the word puts it back into the queue. */
async function putAside(context: ConversationContext, turn: ClaimedTurn): Promise<RunResult> {
  const { db, epoch, feed, approvals } = context.services
  const isPaused = await patiently(context, () => pauseTurn(db, epoch, turn.id))
  feed.wake()
  // The word may have been given before the turn was put aside.
  await patiently(context, () => approvals.resume(turn.id))
  return { status: isPaused ? 'paused' : 'done', turns: turn.count }
}

async function again(context: ConversationContext, turn: ClaimedTurn, forgiven: 0 | 1): Promise<RunResult> {
  const { db, epoch } = context.services
  await patiently(context, () => requeueTurn(db, epoch, turn.id, forgiven))
  // Those that were merged into it stay merged: it waits for all of them.
  return { status: 'retry', merged: turn.count - 1, afterMs: rest.delayMs(turn.attempt, context.random) }
}

/**
 * While the database is away the turn waits, and what a model has said is kept: each of these done twice is done once.
 * @throws what is no outage, and the outage once the actor stops: the next start finds the turn running and begins it again
 */
async function patiently<Result>(context: ConversationContext, work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof DatabaseDown || error instanceof BatchFull) || context.stopped.aborted) throw error
      await sleep(context.clock, rewrite.delayMs(tries, context.random), context.stopped)
    }
  }
}

function answerOf(outcome: EndedTurn): NewMessage | null {
  const body = outcome.status === 'completed' ? outcome.choices[0]?.message : undefined
  return body ? { id: newMessageId(), role: 'assistant', body } : null
}
