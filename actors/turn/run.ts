/** A turn, from what was asked to an outcome that can be recorded: a plain call of the model, or an agent's work. */
import { type AskedModel, callUsage } from '../../models/call-usage.ts'
import { ModelError } from '../../models/errors.ts'
import type { ModelRequest, Usage } from '../../models/transport.ts'
import { modelAnswer } from '../agent/model/model-answer.ts'
import { routedModel } from '../agent/model/routed-model.ts'
import { errorOf } from '../agent/outcome.ts'
import { runAgent } from '../agent/run-agent.ts'
import { guardRefusal } from './guard-refusal.ts'
import { guardedAnswer } from './guarded-answer.ts'
import type { AgentOutcome, AgentTask, TurnOutcome, TurnRequest } from './messages.ts'
import type { TurnContext } from './turn-context.ts'
import { openTurnOutput, type TurnOutput } from './turn-output.ts'

type Completed = Omit<TurnOutcome & { status: 'completed' }, 'durationMs' | 'timeToFirstTokenMs'>

const nothingUsed: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }

/** Never throws for what a model or a caller does: that is an outcome. A throw is a defect. */
export async function runTurn(context: TurnContext, request: TurnRequest, stopped: AbortSignal): Promise<TurnOutcome> {
  const { clock } = context
  const { cancel } = context.state
  const startedMs = clock.elapsed()
  let timeToFirstTokenMs: number | null = null
  const onFirst = () => {
    timeToFirstTokenMs ??= clock.elapsed() - startedMs
  }
  const onStop = () => cancel.abort(stopped.reason)
  stopped.addEventListener('abort', onStop, { once: true })
  try {
    const outcome = await answer(context, request, onFirst)
    return { ...outcome, timeToFirstTokenMs, durationMs: clock.elapsed() - startedMs }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    return {
      status: cancel.signal.aborted ? (stopped.aborted ? 'interrupted' : 'cancelled') : 'failed',
      error: errorOf(error),
      model: request.model,
      usage: error.usage ?? nothingUsed,
      ...(error.usage && {
        used: [
          usedByModel(request, {
            model: error.model ?? request.model,
            usage: error.usage,
            isUsageEstimated: error.isUsageEstimated,
            attempts: error.attempts,
          }),
        ],
      }),
      isUsageEstimated: error.isUsageEstimated,
      endpoints: error.attempts,
      timeToFirstTokenMs,
      durationMs: clock.elapsed() - startedMs,
    }
  } finally {
    stopped.removeEventListener('abort', onStop)
  }
}

async function answer(
  context: TurnContext,
  request: TurnRequest,
  onFirst: () => void,
): Promise<Completed | AgentOutcome> {
  const refusal = guardRefusal(context.services, request)
  const output = request.isStream ? openTurnOutput(context, request, onFirst) : null
  try {
    if (refusal !== undefined) return refused(request, refusal, output)
    if (request.task) return await agentAnswer(context, request, request.task, output)
    return await plainAnswer(context, request, output)
  } finally {
    output?.end()
  }
}

async function plainAnswer(
  { services, state, trace }: TurnContext,
  { model, messages, parameters, responses }: TurnRequest,
  output: TurnOutput | null,
): Promise<Completed> {
  const routed = routedModel(services.settings, { messages, parameters })
  const request: ModelRequest = {
    model,
    messages,
    parameters,
    ...(routed !== undefined && { routedModel: routed }),
    ...(responses && { keepsReasoning: responses.keepsReasoning, responsesParameters: responses.parameters }),
    signal: state.cancel.signal,
    ...(trace && { trace }),
  }
  const answered = await modelAnswer(services.model(), request, output ?? undefined)
  return {
    status: 'completed',
    model: answered.model,
    usage: answered.usage,
    isUsageEstimated: answered.isUsageEstimated,
    finishReason: answered.choices[0]?.finish_reason ?? null,
    choices: answered.choices,
    extra: answered.extra,
    endpoints: answered.attempts,
    used: [usedByModel(request, answered)],
  }
}

function usedByModel(asked: AskedModel, answered: Parameters<typeof callUsage>[1]) {
  return { ...callUsage(asked, answered), agent: null, agentVersion: null }
}

async function agentAnswer(
  context: TurnContext,
  request: TurnRequest,
  task: AgentTask,
  output: TurnOutput | null,
): Promise<AgentOutcome> {
  const guarded = guardedAnswer(context.services, output)
  const { signal } = context.state.cancel
  return guarded.judge(await runAgent(context, { request, task, signal, reader: guarded.reader }))
}

/** The model is not asked at all. */
function refused({ model }: TurnRequest, text: string, output: TurnOutput | null): Completed {
  output?.delta({ kind: 'text', choice: 0, text })
  output?.delta({ kind: 'finish', choice: 0, finishReason: 'content_filter' })
  return {
    status: 'completed',
    model,
    usage: nothingUsed,
    isUsageEstimated: false,
    finishReason: 'content_filter',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'content_filter' }],
    extra: {},
  }
}
