/** A debate: several answer, read each other for so many rounds, and a judge writes the answer from what they said. */
import type { ChatMessage } from '../../../models/transport.ts'
import type { AgentRun, AnswerSink } from '../agent-run.ts'
import { reachedBound } from '../answer-text.ts'
import { toolLoop } from '../loop.ts'
import type { LoopResult } from '../loop-request.ts'
import { callModel } from '../model/call-model.ts'
import { answerCandidates, type Candidate, numbersUpTo } from './candidates.ts'
import { canAct, carryOut, readOnlyRequest } from './carry-out.ts'
import { defaultPrompts } from './prompts.ts'
import {
  orBestSoFar,
  type Strategy,
  type StrategyRequest,
  sendText,
  subPath,
  withMoreInstructions,
  withSystemPrompt,
} from './strategy.ts'

export interface DebateRules {
  candidates: number
  /** 1: all answer once and nobody reads the others but the judge. */
  rounds: number
  prompt: string
  judgePrompt: string
}

export function debate(rules: DebateRules): Strategy {
  return async (run, ask, sink) => {
    const experts = await debated(run, readOnlyRequest(run, ask), rules)
    // What a client's tool has to answer is no answer that could be judged.
    const open = experts.find(({ answer }) => answer.clientCalls !== null)
    if (open) {
      sendText(sink, open.answer.text)
      return open.answer
    }
    run.progress('judging the debate')
    const [first] = experts as [Candidate]
    const judge = rules.judgePrompt || defaultPrompts.debateJudge
    let best = first.answer
    return await orBestSoFar(
      run,
      () => best,
      sink,
      async (reader) => {
        if (!canAct(run, ask)) return await judged(run, ask, { judge, experts, sink: reader })
        best = await judged(run, ask, { judge, experts, sink: undefined })
        return await carryOut(run, ask, best, reader)
      },
    )
  }
}

/** @returns what each expert said last */
async function debated(
  run: AgentRun,
  ask: StrategyRequest,
  { candidates, rounds, prompt }: DebateRules,
): Promise<Candidate[]> {
  const base = withMoreInstructions(ask.messages, prompt || defaultPrompts.debate)
  let experts: Candidate[] = []
  for (let round = 1; round <= rounds; round++) {
    run.progress(`debate, round ${round} of ${rounds}`)
    const before = experts
    const answerOf = (number: number) =>
      toolLoop(run, {
        ...ask,
        path: subPath(ask.path, `debate-${round}-${number}`),
        messages: round === 1 ? base : [...base, othersOf(before, number)],
      })
    if (round === 1) experts = await answerCandidates(run, numbersUpTo(candidates), answerOf)
    else {
      const next = await answerCandidates(run, numbersOf(before), answerOf).catch((error: unknown): Candidate[] => {
        // What was said in the rounds before stands.
        if (reachedBound(run, error) === undefined) throw error
        return []
      })
      experts = before.map((expert) => next.find(({ number }) => number === expert.number) ?? expert)
    }
    if (experts.some(({ answer }) => answer.clientCalls !== null)) return experts
  }
  return experts
}

const numbersOf = (experts: readonly Candidate[]): number[] => experts.map(({ number }) => number)

async function judged(
  run: AgentRun,
  { path, agent, messages }: StrategyRequest,
  { judge, experts, sink }: { judge: string; experts: readonly Candidate[]; sink: AnswerSink | undefined },
): Promise<LoopResult> {
  const shown = experts.map(({ number, answer }) => `Expert ${number}:\n${answer.text}`).join('\n\n')
  const word = await callModel(run, {
    ...{ path: subPath(path, 'debate-judge'), n: 0, agent, tools: [], sink },
    messages: [...withSystemPrompt(messages, judge), { role: 'user', content: shown }],
  })
  return { text: word.text, clientCalls: null, finishReason: word.finishReason }
}

function othersOf(experts: readonly Candidate[], own: number): ChatMessage {
  const parts = experts.map(({ number, answer }) =>
    number === own ? `Your answer:\n${answer.text}` : `Answer of another expert:\n${answer.text}`,
  )
  return { role: 'user', content: `${parts.join('\n\n')}\n\nNow give your answer again, improved where it can be.` }
}
