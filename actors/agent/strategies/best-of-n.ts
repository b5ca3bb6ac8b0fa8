/** Best of N: so many candidates answer independently, and a judge picks one. */
import type { AnswerSink } from '../agent-run.ts'
import { toolLoop } from '../loop.ts'
import { callModel } from '../model/call-model.ts'
import { answerCandidates, type Candidate, numbersUpTo } from './candidates.ts'
import { carryOut, readOnlyRequest } from './carry-out.ts'
import { defaultPrompts } from './prompts.ts'
import { sideQuestion } from './side-question.ts'
import { orBestSoFar, type Strategy, sendText, subPath, withSystemPrompt } from './strategy.ts'

export function bestOfN(count: number, judgePrompt: string): Strategy {
  return async (run, request, sink) => {
    run.progress(`writing ${count} candidates`)
    const readOnly = readOnlyRequest(run, request)
    const candidates = await answerCandidates(run, numbersUpTo(count), (number) =>
      toolLoop(run, { ...readOnly, path: subPath(request.path, `best-${number}`) }),
    )
    const [first] = candidates as [Candidate]
    // An answer that a client's tool has to complete cannot be judged.
    const unfinished = candidates.find(({ answer }) => answer.clientCalls !== null)
    if (unfinished) {
      sendText(sink, unfinished.answer.text)
      return unfinished.answer
    }
    let best = first
    const judgeAndCarryOut = async (reader: AnswerSink | undefined) => {
      if (candidates.length === 1) return await carryOut(run, request, first.answer, reader)
      run.progress('judging the candidates')
      const verdict = await callModel(sideQuestion(run), {
        path: subPath(request.path, 'judge'),
        n: 0,
        agent: request.agent,
        messages: [
          ...withSystemPrompt(request.messages, judgePrompt || defaultPrompts.judge),
          { role: 'user', content: candidates.map(candidateText).join('\n\n') },
        ],
        tools: [],
      })
      best = candidates.find(({ number }) => number === chosenNumber(verdict.text, candidates)) ?? first
      return await carryOut(run, request, best.answer, reader)
    }
    return await orBestSoFar(run, sink, { bestSoFar: () => best.answer, better: judgeAndCarryOut })
  }
}

function candidateText({ number, answer }: Candidate): string {
  return `Candidate ${number}:\n${answer.text}`
}

/** The first number in the text that is a candidate's; undefined: the judge names none. */
export function chosenNumber(text: string, candidates: readonly Pick<Candidate, 'number'>[]): number | undefined {
  for (const [digits] of text.matchAll(/\d+/g)) {
    if (candidates.some(({ number }) => number === Number(digits))) return Number(digits)
  }
  return undefined
}
