/** The turn of an agent, from what was asked to an outcome that can be recorded. */
import { ModelError } from '../../models/errors.ts'
import type { ChatMessage } from '../../models/transport.ts'
import { type Step, stepsMax } from '../../store/turns/steps.ts'
import { subagentHost } from '../subagent/actor.ts'
import type { AgentOutcome, AgentTask, TurnRequest } from '../turn/messages.ts'
import type { TurnContext } from '../turn/turn-context.ts'
import { type AgentRun, type AnswerSink, type RunReport, type TurnFacts, TurnPaused } from './agent-run.ts'
import { BoundReached, type BudgetLimits, openBudget } from './budget/budget.ts'
import { promptMessages } from './context/prompt-messages.ts'
import { JournalMismatch } from './journal/journal.ts'
import { workingTimeMs } from './journal/working-time.ts'
import type { LoopResult } from './loop-request.ts'
import type { ClientTool } from './model/call-model.ts'
import { routedModel } from './model/routed-model.ts'
import { earlierSteps, openRun } from './open-run.ts'
import { completed, cutOff, failed, measured, mismatched, nothingSpent, type TurnNotes } from './outcome.ts'
import { agentPrompt } from './prompt/agent-prompt.ts'
import { isCutShort } from './retry-outages.ts'
import { turnStrategy } from './strategies/combine.ts'
import { agentToolset } from './tools/agent-toolset.ts'
import { messageUserName } from './tools/toolset.ts'
import { usageLedger } from './usage-ledger.ts'

/** Whoever reads a streamed answer while it comes. */
export interface AgentReader extends AnswerSink {
  progress(words: string): void
}

interface AgentTurn {
  request: TurnRequest
  task: AgentTask
  /** Aborts when the turn is cancelled or the service stops. */
  signal: AbortSignal
  /** Null: nobody reads while it comes. */
  reader: AgentReader | null
}

export async function runAgent(context: TurnContext, turn: AgentTurn): Promise<AgentOutcome> {
  const { request, task, signal, reader } = turn
  const facts = factsOf(context, turn)
  let earlier: readonly Step[]
  try {
    earlier = task.isResumed ? await earlierSteps(context, facts, signal) : []
  } catch (error) {
    if (!signal.aborted) throw error
    return { ...cutOff(context), ...nothingSpent(request) }
  }
  const notes: TurnNotes = {
    answeredBy: request.model,
    hasInterimMessage: earlier.some(isInterimMessage),
    ledger: usageLedger(),
  }
  const budget = openBudget(limitsOf(context, earlier), context.clock)
  const report = (of: RunReport) => note(notes, of, reader)
  const run = openRun(context, facts, { earlier, budget, signal, report, host: subagentHost(context) })
  try {
    const result = await answer(run, turn, notes)
    // Whoever reads has the answer by now: steps that could not be stored are no reason to take it back.
    await run.journal.flushed().catch((error: unknown) => acceptCutShort(run, error))
    return { ...completed(result), ...measured(budget, notes) }
  } catch (error) {
    await run.subagentsEnded()
    await flushAtEnd(run, error)
    const spent = measured(budget, notes)
    // However the end was noticed: by a tool, a wait, the model.
    if (signal.aborted) return { ...cutOff(context), ...spent }
    const cause = budget.signal.aborted ? budget.signal.reason : error
    if (cause instanceof BoundReached) return { ...completed(outOf(cause, reader)), ...spent }
    if (error instanceof TurnPaused) {
      // What it has done is stored before it waits: it may be resumed at once.
      await run.journal.flushed()
      return { status: 'waiting', ...spent }
    }
    if (error instanceof ModelError) return { ...failed(error), ...spent }
    if (error instanceof JournalMismatch) {
      run.services.log.error({ err: error, turn: run.turnId }, 'a resumed turn did not repeat its earlier steps')
      return { ...mismatched(error), ...spent }
    }
    throw error
  } finally {
    budget.end()
  }
}

function factsOf({ services }: TurnContext, { request, task }: AgentTurn): TurnFacts {
  return {
    turnId: request.turnId,
    lease: task.lease,
    workspaceId: task.workspaceId,
    conversationId: task.conversationId,
    channelId: task.channelId,
    isWebChat: task.isWebChat,
    approvals: task.approvals,
    model: request.model,
    routedModel: routedModel(services.settings, request),
    parameters: request.parameters,
  }
}

function limitsOf({ services: { settings } }: TurnContext, earlier: readonly Step[]): BudgetLimits {
  return {
    tokens: settings.get('SERVICE_AGENT_TOKENS_MAX'),
    steps: stepsMax,
    stepsTaken: earlier.length,
    timeMs: settings.get('SERVICE_AGENT_TIMEOUT_S') * 1_000,
    workedMs: workingTimeMs(earlier),
  }
}

/** An agent's turn may call models a hundred times. */
const endpointsKeptMax = 50

function note(notes: TurnNotes, report: RunReport, reader: AgentReader | null): void {
  switch (report.kind) {
    case 'progress':
      reader?.progress(report.words)
      return
    case 'used':
      notes.ledger.add(report.calls)
      return
    case 'endpoints_asked':
      notes.endpoints = [...(notes.endpoints ?? []), ...report.attempts].slice(-endpointsKeptMax)
      return
    case 'model_answered':
      notes.answeredBy = report.model
      return
    case 'interim_message_sent':
      notes.hasInterimMessage = true
      return
    default:
      report satisfies never
  }
}

/** An interim message of an earlier attempt stands in the conversation. */
function isInterimMessage({ name, status }: Step): boolean {
  return name === messageUserName && status !== 'failed'
}

/** @throws a failure to store steps that neither the end of the turn nor an outage at its end explains */
function acceptCutShort({ signal, services, turnId }: AgentRun, error: unknown): void {
  if (!isCutShort(signal, error)) throw error
  services.log.warn({ err: error, turn: turnId }, 'the last steps of a turn were not stored; its answer stands')
}

/** However the turn ends, its next attempt finds what this one has done. @param ending logged by whoever handles it */
async function flushAtEnd({ journal, services, turnId }: AgentRun, ending: unknown): Promise<void> {
  try {
    await journal.flushed()
  } catch (error) {
    if (error !== ending) services.log.warn({ err: error, turn: turnId }, 'steps of a turn that ends were not stored')
  }
}

async function answer(run: AgentRun, { request, task, reader }: AgentTurn, notes: TurnNotes): Promise<LoopResult> {
  const { services } = run
  const { agent } = task
  const toolset = agentToolset(services, agent, { workspaceId: run.workspaceId, depth: 0, isReading: false })
  const system = agentPrompt(run, agent, toolset, request.messages.filter(isInstruction))
  const messages = request.messages.filter((message) => !isInstruction(message))
  const fitting = await promptMessages(run, task, { system, toolset, messages, notes })
  const strategy = turnStrategy(services.settings, run.earlier)
  const strategyRequest = {
    path: '',
    agent,
    depth: 0,
    toolset,
    clientTools: clientTools(request),
    messages: [{ role: 'system', content: system }, ...services.clientToolCalls.restore(task, messages, fitting)],
    stepsMax: services.settings.get('SERVICE_AGENT_STEPS_MAX'),
  }
  const result = await strategy(run, strategyRequest, reader ?? undefined)
  const { clientCalls: calls, clientToolCalls } = result
  if (calls && clientToolCalls) services.clientToolCalls.store(task, messages, { calls, done: clientToolCalls })
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

/** What was said up to then was streamed already to whoever reads; the note is what is left to say. */
function outOf({ bound }: BoundReached, reader: AgentReader | null): LoopResult {
  const text = `[The turn has used up its ${bound} before it could answer.]`
  reader?.delta({ kind: 'text', choice: 0, text })
  reader?.delta({ kind: 'finish', choice: 0, finishReason: 'length' })
  return { text, clientCalls: null, finishReason: 'length' }
}
