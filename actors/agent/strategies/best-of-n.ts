/** Best of N: so many candidates answer independently, and a judge picks one. */

import { toolLoop } from '../loop.ts'
import { callModel } from '../model/call-model.ts'
import { answerCandidates, type Candidate, numbersUpTo } from './candidates.ts'
import { carryOut, readOnlyRequest } from './carry-out.ts'
import { defaultPrompts } from './prompts.ts'
import { sideQuestion } from './side-question.ts'
import { orBestSoFar, type Strategy, sendText, subPath, withSystemPrompt } from './strategy.ts'

export function bestOfN(candidates: number, judgePrompt: string): Strategy {
  return async (run, ask, sink) => {
    run.progress(`writing ${candidates} candidates`)
    const askEach = readOnlyRequest(run, ask)
    const given = await answerCandidates(run, numbersUpTo(candidates), (number) =>
      toolLoop(run, { ...askEach, path: subPath(ask.path, `best-${number}`) }),
    )
    const [first] = given as [Candidate]
    // What a client's tool has to answer is no answer that could be judged.
    const open = given.find(({ answer }) => answer.clientCalls !== null)
    if (open) {
      sendText(sink, open.answer.text)
      return open.answer
    }
    let best = first
    return await orBestSoFar(
      run,
      () => best.answer,
      sink,
      async (reader) => {
        if (given.length === 1) return await carryOut(run, ask, first.answer, reader)
        run.progress('judging the candidates')
        const word = await callModel(sideQuestion(run), {
          path: subPath(ask.path, 'judge'),
          n: 0,
          agent: ask.agent,
          messages: [
            ...withSystemPrompt(ask.messages, judgePrompt || defaultPrompts.judge),
            { role: 'user', content: given.map(shown).join('\n\n') },
          ],
          tools: [],
        })
        best = given.find(({ number }) => number === chosenNumber(word.text, given)) ?? first
        return await carryOut(run, ask, best.answer, reader)
      },
    )
  }
}

function shown({ number, answer }: Candidate): string {
  return `Candidate ${number}:\n${answer.text}`
}

/** The first number in the text that is a candidate's; undefined: the judge names none. */
export function chosenNumber(text: string, candidates: readonly Pick<Candidate, 'number'>[]): number | undefined {
  for (const [digits] of text.matchAll(/\d+/g)) {
    if (candidates.some(({ number }) => number === Number(digits))) return Number(digits)
  }
  return undefined
}
