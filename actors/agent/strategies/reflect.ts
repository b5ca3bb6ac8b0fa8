/** Reflection: a draft, its criticism, and a revised answer where the criticism finds something. */
import type { AgentRun, AnswerSink } from '../agent-run.ts'
import type { LoopResult } from '../loop-request.ts'
import { callModel } from '../model/call-model.ts'
import { defaultPrompts } from './prompts.ts'
import { sideQuestion } from './side-question.ts'
import { orBestSoFar, type Strategy, type StrategyRequest, sendText, subPath, withSystemPrompt } from './strategy.ts'

/** @param draft writes what is criticised */
export function reflect(prompt: string, draft: Strategy): Strategy {
  return async (run, request, sink) => {
    const drafted = await draft(run, request, undefined)
    if (drafted.clientCalls) {
      sendText(sink, drafted.text)
      return drafted
    }
    const critic = prompt || defaultPrompts.reflect
    return await orBestSoFar(run, sink, {
      bestSoFar: () => drafted,
      better: (reader) => reviseDraft(run, request, { drafted, critic, sink: reader }),
    })
  }
}

async function reviseDraft(
  run: AgentRun,
  { path, agent, messages }: StrategyRequest,
  { drafted, critic, sink }: { drafted: LoopResult; critic: string; sink: AnswerSink | undefined },
): Promise<LoopResult> {
  run.progress('criticising the draft')
  const draft = [{ role: 'assistant', content: drafted.text }]
  const criticism = await callModel(sideQuestion(run), {
    path: subPath(path, 'reflect'),
    n: 0,
    agent,
    tools: [],
    messages: [...withSystemPrompt(messages, critic), ...draft, { role: 'user', content: 'Criticise the draft.' }],
  })
  if (approvesDraft(criticism.text)) {
    sendText(sink, drafted.text)
    return drafted
  }
  run.progress('writing the answer anew')
  const instruction = `Criticism of the draft:\n${criticism.text}\n\n${defaultPrompts.revise}`
  const final = await callModel(run, {
    path: subPath(path, 'revise'),
    n: 0,
    agent,
    tools: [],
    sink,
    messages: [...messages, ...draft, { role: 'user', content: instruction }],
  })
  return { text: final.text, clientCalls: null, finishReason: final.finishReason }
}

/** OK alone, whatever punctuation stands around it, in Latin letters or in the Cyrillic ones that look the same; or nothing at all. */
export function approvesDraft(criticism: string): boolean {
  return ['', 'ok', 'ок'].includes(criticism.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase())
}
