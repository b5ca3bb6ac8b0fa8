/** A debate: several answer, read each other for so many rounds, and a judge writes the answer from what they said. */
import type { ChatMessage } from '../../../../models/transport.ts'
import { callModel } from '../call-model.ts'
import { type LoopResult, toolLoop } from '../loop.ts'
import { builtIn } from './prompts.ts'
import { addToSystem, each, type Strategy, tell, under, withSystem } from './strategy.ts'

export interface DebateRules {
  candidates: number
  /** 1: all answer once and nobody reads the others but the judge. */
  rounds: number
  prompt: string
  judgePrompt: string
}

export function debate({ candidates, rounds, prompt, judgePrompt }: DebateRules): Strategy {
  return async (run, ask, sink) => {
    const base: ChatMessage[] = addToSystem(ask.messages, prompt || builtIn.debate)
    let answers: LoopResult[] = []
    for (let round = 1; round <= rounds; round++) {
      run.progress(`debate, round ${round} of ${rounds}`)
      const before = answers
      answers = await each(Array.from({ length: candidates }), (_, at) =>
        toolLoop(run, {
          ...ask,
          path: under(ask.path, `debate-${round}-${at + 1}`),
          messages: round === 1 ? base : [...base, othersOf(before, at)],
        }),
      )
      const open = answers.find(({ clientCalls }) => clientCalls !== null)
      if (open) {
        tell(sink, open.text)
        return open
      }
    }
    run.progress('judging the debate')
    const shown = answers.map(({ text }, at) => `Expert ${at + 1}:\n${text}`).join('\n\n')
    const word = await callModel(run, {
      path: under(ask.path, 'debate-judge'),
      n: 0,
      agent: ask.agent,
      messages: [...withSystem(ask.messages, judgePrompt || builtIn.debateJudge), { role: 'user', content: shown }],
      tools: [],
      sink,
    })
    return { text: word.text, clientCalls: null, finishReason: word.finishReason }
  }
}

function othersOf(answers: readonly LoopResult[], own: number): ChatMessage {
  const parts = answers.map(({ text }, at) =>
    at === own ? `Your answer:\n${text}` : `Answer of another expert:\n${text}`,
  )
  return { role: 'user', content: `${parts.join('\n\n')}\n\nNow give your answer again, improved where it can be.` }
}
