/** A turn, from what was said to an outcome that can be recorded: a plain call of the model, or an agent's work. */
import { ModelError } from '../../models/errors.ts'
import type { ModelDelta, ModelRequest, ModelTransport, Usage } from '../../models/transport.ts'
import type { ActorContext } from '../../runtime/actor/define.ts'
import { TextPile } from '../../runtime/text-pile.ts'
import type { TurnId } from '../../store/id.ts'
import { routedModel } from '../agent/model/routed-model.ts'
import { transcript } from '../agent/model/stream-transcript.ts'
import { type AgentReader, runAgent } from '../agent/run-agent.ts'
import type { LiveTurnText } from '../feed/live-turns.ts'
import type { Services } from '../services.ts'
import type { TurnState } from './actor.ts'
import { guardRefusal } from './guard-refusal.ts'
import { guardedAnswer } from './guarded-answer.ts'
import type { AgentOutcome, AgentTask, TurnDelta, TurnOutcome, TurnRequest } from './messages.ts'

export type TurnContext = ActorContext<TurnId, TurnState, Services>

type Completed = Omit<TurnOutcome & { status: 'completed' }, 'durationMs' | 'timeToFirstTokenMs'>
type Answered = Completed | AgentOutcome

const nothingUsed: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }

/** Never throws for what a model or a caller does: that is an outcome. A throw is a defect. */
export async function runTurn(context: TurnContext, run: TurnRequest, stopped: AbortSignal): Promise<TurnOutcome> {
  const { clock, services } = context
  const startedMs = clock.elapsed()
  const { cancel } = context.state
  const onStop = () => cancel.abort(stopped.reason)
  stopped.addEventListener('abort', onStop, { once: true })
  const timing = { firstMs: null as number | null }
  const onFirst = () => {
    timing.firstMs ??= clock.elapsed() - startedMs
  }
  const ended = (outcome: Answered): TurnOutcome =>
    ({ ...outcome, timeToFirstTokenMs: timing.firstMs, durationMs: clock.elapsed() - startedMs }) as TurnOutcome
  try {
    const refusal = guardRefusal(services, run)
    if (refusal !== undefined) return ended(refuse(context, run, refusal))
    if (run.task) return ended(await answerAsAgent(context, run, run.task, onFirst))
    const transport = services.model()
    const routed = routedModel(services.settings, run)
    const request: ModelRequest = {
      model: run.model,
      messages: run.messages,
      parameters: run.parameters,
      ...(routed !== undefined && { routedModel: routed }),
      signal: cancel.signal,
      ...(context.trace && { trace: context.trace }),
    }
    return ended(
      run.isStream ? await stream(context, run, transport, request, onFirst) : await complete(transport, request),
    )
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    return {
      status: cancel.signal.aborted ? (stopped.aborted ? 'interrupted' : 'cancelled') : 'failed',
      error: {
        code: error.code,
        status: error.status,
        message: error.message,
        param: error.param,
        retryAfterMs: error.retryAfterMs,
        isOutage: error.isOutage,
      },
      model: run.model,
      usage: error.usage ?? nothingUsed,
      isUsageEstimated: true,
      timeToFirstTokenMs: timing.firstMs,
      durationMs: clock.elapsed() - startedMs,
    }
  } finally {
    stopped.removeEventListener('abort', onStop)
  }
}

async function complete(transport: ModelTransport, request: ModelRequest): Promise<Completed> {
  const answer = await transport.complete(request)
  return {
    status: 'completed',
    model: answer.model,
    usage: answer.usage,
    isUsageEstimated: answer.isUsageEstimated,
    finishReason: answer.choices[0]?.finish_reason ?? null,
    choices: answer.choices,
    extra: answer.extra,
  }
}

/** Deltas go to whoever reads the stream of the turn's id; a slow reader stops the reading from the model. */
async function stream(
  context: TurnContext,
  run: TurnRequest,
  transport: ModelTransport,
  request: ModelRequest,
  onFirst: () => void,
): Promise<Completed> {
  const out = context.streams.open(run.turnId)
  const said = transcript()
  const live = run.live && watched(context, run.live, run.turnId, () => said.text(0))
  let isFirst = true
  try {
    const call = transport.stream(request, {
      delta(delta) {
        if (isFirst && delta.kind !== 'model') {
          isFirst = false
          onFirst()
        }
        said.add(delta)
        if (live && delta.kind === 'text' && delta.choice === 0) live.text(delta.text)
        return out.write(delta)
      },
    })
    out.onRoom(() => call.resume())
    const end = await call.done
    const choices = said.choices()
    return {
      status: 'completed',
      model: end.model,
      usage: end.usage,
      isUsageEstimated: end.isUsageEstimated,
      finishReason: choices[0]?.finish_reason ?? null,
      choices,
      extra: end.extra,
    }
  } finally {
    out.end()
    live?.end()
  }
}

/** What an agent says goes to whoever reads the stream of the turn's id, and to those who watch the conversation. */
async function answerAsAgent(
  context: TurnContext,
  run: TurnRequest,
  task: AgentTask,
  onFirst: () => void,
): Promise<AgentOutcome> {
  const { signal } = context.state.cancel
  if (!run.isStream) {
    const guarded = guardedAnswer(context.services, null)
    return guarded.judge(await runAgent(context, run, task, signal, null))
  }
  const out = context.streams.open(run.turnId)
  const said = new TextPile()
  const live = run.live && watched(context, run.live, run.turnId, () => said.toString())
  const reader: AgentReader = {
    delta(delta: ModelDelta) {
      if (delta.kind !== 'model') onFirst()
      if (delta.kind === 'text') {
        said.add(delta.text)
        live?.text(delta.text)
      }
      return out.write(delta)
    },
    progress(words) {
      out.write({ kind: 'progress', words } satisfies TurnDelta)
    },
    onRoom: (resume) => out.onRoom(resume),
  }
  try {
    const guarded = guardedAnswer(context.services, reader)
    return guarded.judge(await runAgent(context, run, task, signal, guarded.reader))
  } finally {
    out.end()
    live?.end()
  }
}

/** The model is not asked at all. */
function refuse(context: TurnContext, run: TurnRequest, text: string): Completed {
  if (run.isStream) {
    const out = context.streams.open(run.turnId)
    out.write({ kind: 'text', choice: 0, text })
    out.write({ kind: 'finish', choice: 0, finishReason: 'content_filter' })
    out.end()
  }
  return {
    status: 'completed',
    model: run.model,
    usage: nothingUsed,
    isUsageEstimated: false,
    finishReason: 'content_filter',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'content_filter' }],
    extra: {},
  }
}

function watched(
  { services }: TurnContext,
  live: NonNullable<TurnRequest['live']>,
  turnId: TurnId,
  soFar: () => string,
): LiveTurnText {
  const startedXid = BigInt(live.startedXid)
  return services.live.begin(live.conversation, { turnId, startedXid, soFar })
}
