/** A debate: several answer, read each other for so many rounds, and a judge writes the answer from what they said. */
import type { ChatMessage } from '../../../models/transport.ts'
import type { AgentRun, AnswerSink } from '../agent-run.ts'
import { boundIn } from '../answer-text.ts'
import { callModel } from '../call-model.ts'
import { type LoopResult, toolLoop } from '../loop.ts'
import { type Candidate, numbersTo, several } from './candidates.ts'
import { canAct, carriedOut, reading } from './carry-out.ts'
import { builtIn } from './prompts.ts'
import { type Ask, addToSystem, orAsItIs, type Strategy, tell, under, withSystem } from './strategy.ts'

export interface DebateRules {
  candidates: number
  /** 1: all answer once and nobody reads the others but the judge. */
  rounds: number
  prompt: string
  judgePrompt: string
}

export function debate(rules: DebateRules): Strategy {
  return async (run, ask, sink) => {
    const experts = await debated(run, reading(run, ask), rules)
    // What a client's tool has to answer is no answer that could be judged.
    const open = experts.find(({ answer }) => answer.clientCalls !== null)
    if (open) {
      tell(sink, open.answer.text)
      return open.answer
    }
    run.progress('judging the debate')
    const [first] = experts as [Candidate]
    const judge = rules.judgePrompt || builtIn.debateJudge
    let best = first.answer
    return await orAsItIs(
      run,
      () => best,
      sink,
      async (reader) => {
        if (!canAct(run, ask)) return await judged(run, ask, { judge, experts, sink: reader })
        best = await judged(run, ask, { judge, experts, sink: undefined })
        return await carriedOut(run, ask, best, reader)
      },
    )
  }
}

/** @returns what each expert said last */
async function debated(run: AgentRun, ask: Ask, { candidates, rounds, prompt }: DebateRules): Promise<Candidate[]> {
  const base = addToSystem(ask.messages, prompt || builtIn.debate)
  let experts: Candidate[] = []
  for (let round = 1; round <= rounds; round++) {
    run.progress(`debate, round ${round} of ${rounds}`)
    const before = experts
    const answerOf = (number: number) =>
      toolLoop(run, {
        ...ask,
        path: under(ask.path, `debate-${round}-${number}`),
        messages: round === 1 ? base : [...base, othersOf(before, number)],
      })
    if (round === 1) experts = await several(run, numbersTo(candidates), answerOf)
    else {
      const next = await several(run, numbersOf(before), answerOf).catch((error: unknown): Candidate[] => {
        // What was said in the rounds before stands.
        if (boundIn(run, error) === undefined) throw error
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
  { path, agent, messages }: Ask,
  { judge, experts, sink }: { judge: string; experts: readonly Candidate[]; sink: AnswerSink | undefined },
): Promise<LoopResult> {
  const shown = experts.map(({ number, answer }) => `Expert ${number}:\n${answer.text}`).join('\n\n')
  const word = await callModel(run, {
    ...{ path: under(path, 'debate-judge'), n: 0, agent, tools: [], sink },
    messages: [...withSystem(messages, judge), { role: 'user', content: shown }],
  })
  return { text: word.text, clientCalls: null, finishReason: word.finishReason }
}

function othersOf(experts: readonly Candidate[], own: number): ChatMessage {
  const parts = experts.map(({ number, answer }) =>
    number === own ? `Your answer:\n${answer.text}` : `Answer of another expert:\n${answer.text}`,
  )
  return { role: 'user', content: `${parts.join('\n\n')}\n\nNow give your answer again, improved where it can be.` }
}
