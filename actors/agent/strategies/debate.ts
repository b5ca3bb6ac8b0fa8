/** A debate: several experts answer, read each other for so many rounds, and a judge writes the answer from theirs. */
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
  return async (run, request, sink) => {
    const experts = await runDebate(run, readOnlyRequest(run, request), rules)
    // An answer that a client's tool has to complete cannot be judged.
    const unfinished = experts.find(({ answer }) => answer.clientCalls !== null)
    if (unfinished) {
      sendText(sink, unfinished.answer.text)
      return unfinished.answer
    }
    run.progress('judging the debate')
    const [first] = experts as [Candidate]
    const judge = rules.judgePrompt || defaultPrompts.debateJudge
    let best = first.answer
    const judgeAndCarryOut = async (reader: AnswerSink | undefined) => {
      if (!canAct(run, request)) return await writeVerdict(run, request, { judge, experts, sink: reader })
      best = await writeVerdict(run, request, { judge, experts, sink: undefined })
      return await carryOut(run, request, best, reader)
    }
    return await orBestSoFar(run, sink, { bestSoFar: () => best, better: judgeAndCarryOut })
  }
}

/** @returns the last answer of each expert */
async function runDebate(
  run: AgentRun,
  request: StrategyRequest,
  { candidates, rounds, prompt }: DebateRules,
): Promise<Candidate[]> {
  const base = withMoreInstructions(request.messages, prompt || defaultPrompts.debate)
  let experts: Candidate[] = []
  for (let round = 1; round <= rounds; round++) {
    run.progress(`debate, round ${round} of ${rounds}`)
    const previous = experts
    const answerOf = (number: number) =>
      toolLoop(run, {
        ...request,
        path: subPath(request.path, `debate-${round}-${number}`),
        messages: round === 1 ? base : [...base, answersForExpert(previous, number)],
      })
    if (round === 1) experts = await answerCandidates(run, numbersUpTo(candidates), answerOf)
    else {
      const next = await answerCandidates(run, numbersOf(previous), answerOf).catch((error: unknown): Candidate[] => {
        // The answers of the rounds before stand.
        if (reachedBound(run, error) === undefined) throw error
        return []
      })
      experts = previous.map((expert) => next.find(({ number }) => number === expert.number) ?? expert)
    }
    if (experts.some(({ answer }) => answer.clientCalls !== null)) return experts
  }
  return experts
}

const numbersOf = (experts: readonly Candidate[]): number[] => experts.map(({ number }) => number)

async function writeVerdict(
  run: AgentRun,
  { path, agent, messages }: StrategyRequest,
  { judge, experts, sink }: { judge: string; experts: readonly Candidate[]; sink: AnswerSink | undefined },
): Promise<LoopResult> {
  const answers = experts.map(({ number, answer }) => `Expert ${number}:\n${answer.text}`).join('\n\n')
  const verdict = await callModel(run, {
    path: subPath(path, 'debate-judge'),
    n: 0,
    agent,
    tools: [],
    sink,
    messages: [...withSystemPrompt(messages, judge), { role: 'user', content: answers }],
  })
  return { text: verdict.text, clientCalls: null, finishReason: verdict.finishReason }
}

function answersForExpert(experts: readonly Candidate[], own: number): ChatMessage {
  const parts = experts.map(({ number, answer }) =>
    number === own ? `Your answer:\n${answer.text}` : `Answer of another expert:\n${answer.text}`,
  )
  return { role: 'user', content: `${parts.join('\n\n')}\n\nNow give your answer again, improved where it can be.` }
}
