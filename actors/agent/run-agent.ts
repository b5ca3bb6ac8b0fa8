/** The turn of an agent, from what was said to an outcome that can be recorded. */
import { cancelled, ModelError } from '../../models/errors.ts'
import type { ChatMessage } from '../../models/transport.ts'
import { type Step, stepsOf } from '../../store/turns/steps.ts'
import { subagent } from '../subagent/actor.ts'
import { delegateTo } from '../subagent/delegate.ts'
import type { AgentOutcome, AgentTask, TurnRequest } from '../turn/messages.ts'
import type { TurnContext } from '../turn/run.ts'
import { type AgentRun, type AnswerSink, TurnPaused } from './agent-run.ts'
import { BoundReached, openBudget } from './budget/budget.ts'
import { promptMessages } from './context/prompt-messages.ts'
import { JournalMismatch, openJournal } from './journal/journal.ts'
import { workingTimeMs } from './journal/working-time.ts'
import type { LoopResult } from './loop.ts'
import type { ClientTool } from './model/call-model.ts'
import { routedModel } from './model/routed-model.ts'
import { isCutShort, patiently } from './patiently.ts'
import { agentPrompt } from './prompt/agent-prompt.ts'
import { turnStrategy } from './strategies/combine.ts'
import { agentToolset } from './tools/agent-toolset.ts'
import { storeClientToolCalls, withClientToolCalls } from './tools/client-tool-calls.ts'
import { messageUserName } from './tools/toolset.ts'

/** What is handed to the reader of a streamed answer while it comes. */
export interface AgentReader extends AnswerSink {
  progress(words: string): void
}

/**
 * @param signal aborts when the turn is cancelled or the service stops
 * @param reader null: nobody reads while it comes
 */
export async function runAgent(
  context: TurnContext,
  run: TurnRequest,
  task: AgentTask,
  signal: AbortSignal,
  reader: AgentReader | null,
): Promise<AgentOutcome> {
  const { services, clock } = context
  const tryOf = { clock, signal }
  let earlier: readonly Step[]
  try {
    earlier = task.isResumed ? await patiently(tryOf, () => stepsOf(services.db, task.workspaceId, run.turnId)) : []
  } catch (error) {
    if (!signal.aborted) throw error
    return { ...cutOff(context), ...nothingSpent(run) }
  }
  const agentRun = openRun(context, run, task, { signal, earlier, reader })
  const { budget, journal } = agentRun
  services.agentRuns.set(run.turnId, agentRun)
  try {
    const result = await answer(agentRun, run, task, reader)
    // Whoever reads has the answer by now: what could not be kept of the way to it is no reason to take it back.
    await journal.flushed().catch((error: unknown) => keptInPart(agentRun, error))
    return completed(agentRun, result)
  } catch (error) {
    await allWritten(agentRun, error)
    // Whatever the end looked like from where it was noticed: a tool, a wait, the model.
    if (signal.aborted) return { ...cutOff(context), ...measured(agentRun) }
    const reached = budget.signal.aborted ? budget.signal.reason : error
    if (reached instanceof BoundReached) return completed(agentRun, outOf(reached, reader))
    if (error instanceof TurnPaused) return await putAside(agentRun)
    if (error instanceof ModelError) return { ...failed(error), ...measured(agentRun) }
    if (error instanceof JournalMismatch) return { ...mismatched(agentRun, error), ...measured(agentRun) }
    throw error
  } finally {
    budget.end()
    services.agentRuns.delete(run.turnId)
  }
}

function openRun(
  context: TurnContext,
  run: TurnRequest,
  task: AgentTask,
  { signal, earlier, reader }: { signal: AbortSignal; earlier: readonly Step[]; reader: AgentReader | null },
): AgentRun {
  const { services, clock } = context
  const { settings } = services
  const budget = openBudget(
    {
      tokens: settings.get('SERVICE_AGENT_TOKENS_MAX'),
      timeMs: settings.get('SERVICE_AGENT_TIMEOUT_S') * 1_000,
      workedMs: workingTimeMs(earlier),
    },
    clock,
  )
  const bounded = AbortSignal.any([signal, budget.signal])
  const patience = { clock, signal: bounded }
  const steps = { write: (...together: Step[]) => patiently(patience, () => services.steps.write(...together)) }
  const agentRun: AgentRun = {
    ...{ turnId: run.turnId, workspaceId: task.workspaceId, conversationId: task.conversationId },
    ...{ channelId: task.channelId, services, clock, tracer: context.tracer, trace: context.trace },
    ...{ transport: services.model(), parameters: run.parameters, model: run.model },
    routedModel: routedModel(settings, run),
    ...{ journal: openJournal(steps, earlier), earlier, budget, approvals: task.approvals },
    isWebChat: task.isWebChat,
    signal: bounded,
    progress: (words) => reader?.progress(words),
    delegate: (order) => delegateTo(context, subagent, agentRun, order),
    notes: { hasInterimMessage: earlier.some(hasSpoken), answeredBy: run.model },
  }
  return agentRun
}

/** What an earlier try has said stands in the conversation. */
function hasSpoken({ name, status }: Step): boolean {
  return name === messageUserName && status !== 'failed'
}

/** @throws a failure that is not for the turn's end, or for its end during an outage */
function keptInPart({ signal, services, turnId }: AgentRun, error: unknown): void {
  if (!isCutShort(signal, error)) throw error
  services.log.warn({ err: error, turn: turnId }, 'the last steps of a turn were not kept; its answer stands')
}

async function answer(
  agentRun: AgentRun,
  run: TurnRequest,
  task: AgentTask,
  reader: AgentReader | null,
): Promise<LoopResult> {
  const { services } = agentRun
  const { agent } = task
  const toolset = agentToolset(services, agent, { depth: 0, isReading: false })
  const system = agentPrompt(agentRun, agent, toolset, run.messages.filter(isInstruction))
  const messages = run.messages.filter((message) => !isInstruction(message))
  const past = await promptMessages(agentRun, task, { system, toolset, messages })
  const ask = {
    ...{ path: '', agent, depth: 0, toolset, clientTools: clientTools(run) },
    messages: [{ role: 'system', content: system }, ...withClientToolCalls(services, task, messages, past)],
    stepsMax: services.settings.get('SERVICE_AGENT_STEPS_MAX'),
  }
  const result = await turnStrategy(services.settings, agentRun.earlier)(agentRun, ask, reader ?? undefined)
  const { clientCalls: calls, rounds } = result
  if (calls && rounds) storeClientToolCalls(services, task, messages, { calls, rounds })
  return result
}

function isInstruction({ role }: ChatMessage): boolean {
  return role === 'system' || role === 'developer'
}

/** Tools of the client's own, where it sent any: carried as they came. */
function clientTools({ parameters }: TurnRequest): ClientTool[] {
  const { tools } = parameters
  if (!Array.isArray(tools)) return []
  return tools.flatMap((definition: Record<string, unknown> | null) => {
    const name = (definition?.['function'] as { name?: unknown } | undefined)?.name
    return definition && typeof name === 'string' ? [{ name, definition }] : []
  })
}

function nothingSpent({ model }: TurnRequest) {
  const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
  return { model, usage, isUsageEstimated: false, hasInterimMessage: false }
}

function measured({ budget, notes }: AgentRun) {
  return {
    model: notes.answeredBy,
    usage: { ...budget.used },
    isUsageEstimated: budget.isEstimated,
    hasInterimMessage: notes.hasInterimMessage,
    ...(notes.summary && { summary: notes.summary }),
    ...(notes.isPastStale && { isPastStale: true }),
  }
}

function completed(agentRun: AgentRun, { text, clientCalls, finishReason }: LoopResult) {
  const message: Record<string, unknown> = clientCalls
    ? { ...clientCalls, content: text === '' ? null : text }
    : { role: 'assistant', content: text }
  return {
    status: 'completed' as const,
    finishReason,
    choices: [{ index: 0, message, finish_reason: finishReason }],
    extra: {},
    ...measured(agentRun),
  }
}

/** What was said up to then was read already where somebody reads; the note is what is left to say. */
function outOf({ bound }: BoundReached, reader: AgentReader | null): LoopResult {
  const text = `[The turn has used up its ${bound} before it could answer.]`
  reader?.delta({ kind: 'text', choice: 0, text })
  reader?.delta({ kind: 'finish', choice: 0, finishReason: 'length' })
  return { text, clientCalls: null, finishReason: 'length' }
}

/** However it ends: a next try finds what this one has done. @param ending what ends it, and is told by whoever hears it */
async function allWritten({ journal, services, turnId }: AgentRun, ending: unknown): Promise<void> {
  try {
    await journal.flushed()
  } catch (error) {
    if (error !== ending) services.log.warn({ err: error, turn: turnId }, 'steps of a turn that ends were not written')
  }
}

/** What it has done is kept before it waits: it may be taken up again at once. */
async function putAside(agentRun: AgentRun) {
  await agentRun.journal.flushed()
  return { status: 'waiting' as const, ...measured(agentRun) }
}

function failed({ code, status, message, param, retryAfterMs, isOutage }: ModelError) {
  return { status: 'failed' as const, error: { code, status, message, param, retryAfterMs, isOutage } }
}

/** Tried again it would come to the same place: it has failed. */
function mismatched({ services, turnId }: AgentRun, error: JournalMismatch) {
  services.log.error({ err: error, turn: turnId }, 'a turn that was begun again did not go the way of its earlier try')
  return {
    status: 'failed' as const,
    error: { code: 'journal_mismatch' as const, status: 500, message: error.message },
  }
}

function cutOff({ stopped }: TurnContext) {
  const { code, status, message } = cancelled()
  return {
    status: stopped.aborted ? ('interrupted' as const) : ('cancelled' as const),
    error: { code, status, message },
  }
}
