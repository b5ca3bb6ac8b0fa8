/** Reflection: a draft, its criticism, and the answer written anew where the criticism finds something. */
import type { AgentRun, AnswerSink } from '../agent-run.ts'
import { callModel } from '../call-model.ts'
import type { LoopResult } from '../loop.ts'
import { builtIn } from './prompts.ts'
import { aside } from './side-question.ts'
import { type Ask, orAsItIs, type Strategy, tell, under, withSystem } from './strategy.ts'

/** @param draft writes what is criticised */
export function reflect(prompt: string, draft: Strategy): Strategy {
  return async (run, ask, sink) => {
    const drafted = await draft(run, ask, undefined)
    if (drafted.clientCalls) {
      tell(sink, drafted.text)
      return drafted
    }
    const critic = prompt || builtIn.reflect
    return await orAsItIs(
      run,
      () => drafted,
      sink,
      (reader) => reflected(run, ask, { drafted, critic, sink: reader }),
    )
  }
}

async function reflected(
  run: AgentRun,
  { path, agent, messages }: Ask,
  { drafted, critic, sink }: { drafted: LoopResult; critic: string; sink: AnswerSink | undefined },
): Promise<LoopResult> {
  run.progress('criticising the draft')
  const said = [{ role: 'assistant', content: drafted.text }]
  const criticism = await callModel(aside(run), {
    ...{ path: under(path, 'reflect'), n: 0, agent, tools: [] },
    messages: [...withSystem(messages, critic), ...said, { role: 'user', content: 'Criticise the draft.' }],
  })
  if (findsNothing(criticism.text)) {
    tell(sink, drafted.text)
    return drafted
  }
  run.progress('writing the answer anew')
  const order = `Criticism of the draft:\n${criticism.text}\n\n${builtIn.revise}`
  const final = await callModel(run, {
    ...{ path: under(path, 'revise'), n: 0, agent, tools: [], sink },
    messages: [...messages, ...said, { role: 'user', content: order }],
  })
  return { text: final.text, clientCalls: null, finishReason: final.finishReason }
}

/** OK alone, whatever marks stand around it, in Latin letters or in the Cyrillic ones that look the same; or no word at all. */
export function findsNothing(criticism: string): boolean {
  return ['', 'ok', 'ок'].includes(criticism.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase())
}
