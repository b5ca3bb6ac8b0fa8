/** What every strategy is given and gives: a way from a conversation to an answer, over the same loop. */
import type { ChatMessage } from '../../../models/transport.ts'
import type { AgentRun, AnswerSink } from '../agent-run.ts'
import { AnswerText, reachedBound, usedUpNote } from '../answer-text.ts'
import type { LoopRequest, LoopResult } from '../loop-request.ts'

/** What is asked; the path is the strategy's own to divide. */
export type StrategyRequest = Omit<LoopRequest, 'sink'>

/** @param sink who reads the answer as it comes; absent: it is a draft that nobody reads */
export type Strategy = (run: AgentRun, ask: StrategyRequest, sink: AnswerSink | undefined) => Promise<LoopResult>

export function subPath(path: string, name: string): string {
  return path === '' ? name : `${path}/${name}`
}

/** The conversation without its system message, so that a judge or planner has one of its own. */
export function withSystemPrompt(messages: readonly ChatMessage[], system: string): ChatMessage[] {
  return [{ role: 'system', content: system }, ...messages.filter(({ role }) => role !== 'system')]
}

/** With more words of the system, behind those that are there. */
export function withMoreInstructions(messages: readonly ChatMessage[], words: string): ChatMessage[] {
  const [first, ...rest] = messages
  return first?.role === 'system' && typeof first.content === 'string'
    ? [{ ...first, content: `${first.content}\n\n${words}` }, ...rest]
    : [{ role: 'system', content: words }, ...messages]
}

/** Says a finished text to whoever reads. */
export function sendText(sink: AnswerSink | undefined, text: string): void {
  if (text !== '') sink?.delta({ kind: 'text', choice: 0, text })
}

/**
 * Where a bound of the turn is reached before an answer could be made better, it is given as it is, with a note.
 * @param there what there is by then; undefined: nothing, and the failure is thrown
 */
export async function orBestSoFar(
  run: AgentRun,
  there: () => Pick<LoopResult, 'text'> | undefined,
  sink: AnswerSink | undefined,
  better: (sink: AnswerSink | undefined) => Promise<LoopResult>,
): Promise<LoopResult> {
  const said = new AnswerText(sink)
  try {
    return await better(said.sink)
  } catch (error) {
    const bound = reachedBound(run, error)
    if (bound === undefined) throw error
    said.cutStep()
    if (said.isEmpty) said.addParagraph(there()?.text ?? '')
    if (said.isEmpty) throw error
    const why = usedUpNote(bound)
    if (said.text.endsWith(`[${why}]`)) return { text: said.text, clientCalls: null, finishReason: 'length' }
    return said.endWith(why)
  }
}
