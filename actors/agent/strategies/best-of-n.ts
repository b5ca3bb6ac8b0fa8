/** Best of N: so many candidates answer independently, and a judge picks one. */
import { callModel } from '../call-model.ts'
import { toolLoop } from '../loop.ts'
import { type Candidate, numbersTo, several } from './candidates.ts'
import { carriedOut, reading } from './carry-out.ts'
import { builtIn } from './prompts.ts'
import { aside } from './side-question.ts'
import { orAsItIs, type Strategy, tell, under, withSystem } from './strategy.ts'

export function bestOfN(candidates: number, judgePrompt: string): Strategy {
  return async (run, ask, sink) => {
    run.progress(`writing ${candidates} candidates`)
    const askEach = reading(run, ask)
    const given = await several(run, numbersTo(candidates), (number) =>
      toolLoop(run, { ...askEach, path: under(ask.path, `best-${number}`) }),
    )
    const [first] = given as [Candidate]
    // What a client's tool has to answer is no answer that could be judged.
    const open = given.find(({ answer }) => answer.clientCalls !== null)
    if (open) {
      tell(sink, open.answer.text)
      return open.answer
    }
    let best = first
    return await orAsItIs(
      run,
      () => best.answer,
      sink,
      async (reader) => {
        if (given.length === 1) return await carriedOut(run, ask, first.answer, reader)
        run.progress('judging the candidates')
        const word = await callModel(aside(run), {
          path: under(ask.path, 'judge'),
          n: 0,
          agent: ask.agent,
          messages: [
            ...withSystem(ask.messages, judgePrompt || builtIn.judge),
            { role: 'user', content: given.map(shown).join('\n\n') },
          ],
          tools: [],
        })
        best = given.find(({ number }) => number === chosen(word.text, given)) ?? first
        return await carriedOut(run, ask, best.answer, reader)
      },
    )
  }
}

function shown({ number, answer }: Candidate): string {
  return `Candidate ${number}:\n${answer.text}`
}

/** The first number in the text that is a candidate's; undefined: the judge names none. */
export function chosen(text: string, candidates: readonly Pick<Candidate, 'number'>[]): number | undefined {
  for (const [digits] of text.matchAll(/\d+/g)) {
    if (candidates.some(({ number }) => number === Number(digits))) return Number(digits)
  }
  return undefined
}
