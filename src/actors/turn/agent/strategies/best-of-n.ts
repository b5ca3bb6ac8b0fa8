/** Best of N: so many candidates answer independently, and a judge picks one. */
import { callModel } from '../call-model.ts'
import { toolLoop } from '../loop.ts'
import { builtIn } from './prompts.ts'
import { each, type Strategy, tell, under, withSystem } from './strategy.ts'

export function bestOfN(candidates: number, judgePrompt: string): Strategy {
  return async (run, ask, sink) => {
    run.progress(`writing ${candidates} candidates`)
    const answers = await each(Array.from({ length: candidates }), (_, at) =>
      toolLoop(run, { ...ask, path: under(ask.path, `best-${at + 1}`) }),
    )
    // What a client's tool has to answer is no answer that could be judged.
    const open = answers.find(({ clientCalls }) => clientCalls !== null)
    if (open) {
      tell(sink, open.text)
      return open
    }
    run.progress('judging the candidates')
    const shown = answers.map(({ text }, at) => `Candidate ${at + 1}:\n${text}`).join('\n\n')
    const word = await callModel(run, {
      path: under(ask.path, 'judge'),
      n: 0,
      agent: ask.agent,
      messages: [...withSystem(ask.messages, judgePrompt || builtIn.judge), { role: 'user', content: shown }],
      tools: [],
    })
    const best = answers[chosen(word.text, answers.length)] as (typeof answers)[number]
    tell(sink, best.text)
    return best
  }
}

/** The first number that is a candidate's; a judge that names none leaves the first candidate. @returns from 0 on */
export function chosen(text: string, candidates: number): number {
  for (const [digits] of text.matchAll(/\d+/g)) {
    const number = Number(digits)
    if (number >= 1 && number <= candidates) return number - 1
  }
  return 0
}
