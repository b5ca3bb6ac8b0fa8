/** The model call of a turn, from its first byte to an outcome that can be recorded. */
import { ModelError } from '../../models/errors.ts'
import type { ModelRequest, ModelTransport, Usage } from '../../models/transport.ts'
import type { ActorContext } from '../../runtime/actor/define.ts'
import type { TurnId } from '../../store/id.ts'
import type { LiveTurnText } from '../feed/live-turns.ts'
import type { Services } from '../services.ts'
import type { TurnState } from './actor.ts'
import type { Run, TurnOutcome } from './messages.ts'
import { type Transcript, transcript } from './transcript.ts'

export type TurnContext = ActorContext<TurnId, TurnState, Services>

type Completed = Omit<TurnOutcome & { status: 'completed' }, 'durationMs'>

const nothingUsed: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }

/** Never throws for what a model or a caller does: that is an outcome. A throw is a defect. */
export async function runTurn(context: TurnContext, run: Run, stopped: AbortSignal): Promise<TurnOutcome> {
  const { clock, services } = context
  const startedMs = clock.elapsed()
  const { cancel } = context.state
  const onStop = () => cancel.abort(stopped.reason)
  stopped.addEventListener('abort', onStop, { once: true })
  const timing = { firstMs: null as number | null }
  try {
    const transport = services.model()
    const request: ModelRequest = {
      model: run.model,
      messages: run.messages,
      parameters: run.parameters,
      signal: cancel.signal,
      ...(context.trace && { trace: context.trace }),
    }
    const completed = run.isStream
      ? await stream(context, run, transport, request, () => {
          timing.firstMs = clock.elapsed() - startedMs
        })
      : await complete(transport, request)
    return { ...completed, timeToFirstTokenMs: timing.firstMs, durationMs: clock.elapsed() - startedMs }
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
    timeToFirstTokenMs: null,
  }
}

/** Deltas go to whoever reads the stream of the turn's id; a slow reader stops the reading from the model. */
async function stream(
  context: TurnContext,
  run: Run,
  transport: ModelTransport,
  request: ModelRequest,
  onFirst: () => void,
): Promise<Completed> {
  const out = context.streams.open(run.turnId)
  const said = transcript()
  const live = run.live && watched(context, run.live, run.turnId, said)
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
      timeToFirstTokenMs: null,
    }
  } finally {
    out.end()
    live?.end()
  }
}

function watched(
  { services }: TurnContext,
  live: NonNullable<Run['live']>,
  turnId: TurnId,
  said: Transcript,
): LiveTurnText {
  const startedXid = BigInt(live.startedXid)
  return services.live.begin(live.conversation, { turnId, startedXid, soFar: () => said.text(0) })
}
