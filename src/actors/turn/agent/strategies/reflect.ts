/** Reflection: a draft, its criticism, and the answer written anew where the criticism finds something. */
import { callModel } from '../call-model.ts'
import { builtIn } from './prompts.ts'
import { type Strategy, tell, under, withSystem } from './strategy.ts'

/** @param draft writes what is criticised */
export function reflect(prompt: string, draft: Strategy): Strategy {
  return async (run, ask, sink) => {
    const drafted = await draft(run, ask, undefined)
    if (drafted.clientCalls) {
      tell(sink, drafted.text)
      return drafted
    }
    run.progress('criticising the draft')
    const said = [{ role: 'assistant', content: drafted.text }]
    const criticism = await callModel(run, {
      path: under(ask.path, 'reflect'),
      n: 0,
      agent: ask.agent,
      messages: [
        ...withSystem(ask.messages, prompt || builtIn.reflect),
        ...said,
        { role: 'user', content: 'Criticise the draft.' },
      ],
      tools: [],
    })
    if (/^\W*ok\W*$/i.test(criticism.text)) {
      tell(sink, drafted.text)
      return drafted
    }
    run.progress('writing the answer anew')
    const final = await callModel(run, {
      path: under(ask.path, 'revise'),
      n: 0,
      agent: ask.agent,
      messages: [
        ...ask.messages,
        ...said,
        { role: 'user', content: `Criticism of the draft:\n${criticism.text}\n\n${builtIn.revise}` },
      ],
      tools: [],
      sink,
    })
    return { text: final.text, clientCalls: null, finishReason: final.finishReason }
  }
}
