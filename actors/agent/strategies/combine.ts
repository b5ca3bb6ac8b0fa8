/**
 * How the strategies combine: a plan goes first, its answer (or the answer, without a plan) is a debate or the best of
 * several, and the result is reflected on. A debate stands in for the best of several where both are on.
 */
import type { Settings } from '../../../config/settings.ts'
import type { Step } from '../../../store/turns/steps.ts'
import type { AnswerSink } from '../agent-run.ts'
import { reachedBound } from '../answer-text.ts'
import { toolLoop } from '../loop.ts'
import type { LoopResult } from '../loop-request.ts'
import { bestOfN } from './best-of-n.ts'
import { debate } from './debate.ts'
import { plan } from './plan.ts'
import { reflect } from './reflect.ts'
import { type StrategySelection, selectStrategies } from './selection.ts'
import { type Strategy, sendText } from './strategy.ts'

const answerDirectly: Strategy = (run, request, sink) => toolLoop(run, { ...request, sink })

const stepRoundsByDefault = 4

/** @param earlier what earlier attempts of the turn did: resumed, it goes the same way */
export function turnStrategy(settings: Settings, earlier: readonly Pick<Step, 'path'>[]): Strategy {
  const strategy = combineStrategies(settings, selectStrategies(settings, earlier))
  return async (run, request, sink) => {
    const result = await strategy(run, request, sink).catch((error: unknown): LoopResult => {
      const bound = reachedBound(run, error)
      if (bound === undefined) throw error
      const text = `[The turn has used up its ${bound} before it could answer.]`
      sendText(sink, text)
      return { text, clientCalls: null, finishReason: 'length' }
    })
    sendEnd(sink, result)
    return result
  }
}

/** What a reader is sent besides the words: the calls that are the client's, and why the answer ends. */
function sendEnd(sink: AnswerSink | undefined, { clientCalls, finishReason }: LoopResult): void {
  const calls = clientCalls?.['tool_calls']
  if (Array.isArray(calls)) {
    const delta = { tool_calls: calls.map((call: object, index) => ({ index, ...call })) }
    sink?.delta({ kind: 'raw', choice: 0, delta })
  }
  sink?.delta({ kind: 'finish', choice: 0, finishReason })
}

function combineStrategies(settings: Settings, selection: StrategySelection): Strategy {
  const answer = withReflection(settings, selection, answerStrategy(settings, selection))
  if (selection.planSteps === 0) return answer
  const rules = {
    stepsMax: selection.planSteps,
    stepRounds: settings.get('SERVICE_AGENT_PLAN_STEP_ITERS') || stepRoundsByDefault,
    prompt: settings.get('SERVICE_AGENT_PLAN_PROMPT'),
  }
  return plan(rules, answer)
}

function answerStrategy(settings: Settings, { debaters, rounds, candidates }: StrategySelection): Strategy {
  if (debaters > 0)
    return debate({
      candidates: debaters,
      rounds,
      prompt: settings.get('SERVICE_AGENT_DEBATE_PROMPT'),
      judgePrompt: settings.get('SERVICE_AGENT_DEBATE_JUDGE_PROMPT'),
    })
  return candidates > 0 ? bestOfN(candidates, settings.get('SERVICE_AGENT_JUDGE_PROMPT')) : answerDirectly
}

function withReflection(settings: Settings, { reflects }: StrategySelection, draft: Strategy): Strategy {
  return reflects ? reflect(settings.get('SERVICE_AGENT_REFLECT_PROMPT'), draft) : draft
}
