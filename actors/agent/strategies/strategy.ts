/** What every strategy is: a way from a conversation to an answer, over the same loop. */
import type { ChatMessage } from '../../../models/transport.ts'
import type { AgentRun, AnswerSink } from '../agent-run.ts'
import { AnswerText, reachedBound, usedUpNote } from '../answer-text.ts'
import type { LoopRequest, LoopResult } from '../loop-request.ts'

/** Below its path the strategy names the paths of its loops. */
export type StrategyRequest = Omit<LoopRequest, 'sink'>

/** @param sink who reads the answer as it comes; absent: it is a draft that nobody reads */
export type Strategy = (run: AgentRun, request: StrategyRequest, sink: AnswerSink | undefined) => Promise<LoopResult>

export function subPath(path: string, name: string): string {
  return path === '' ? name : `${path}/${name}`
}

/** The conversation under another system message: that of a judge or planner. */
export function withSystemPrompt(messages: readonly ChatMessage[], system: string): ChatMessage[] {
  return [{ role: 'system', content: system }, ...messages.filter(({ role }) => role !== 'system')]
}

/** With further instructions behind those of the system message. */
export function withMoreInstructions(messages: readonly ChatMessage[], instructions: string): ChatMessage[] {
  const [first, ...rest] = messages
  return first?.role === 'system' && typeof first.content === 'string'
    ? [{ ...first, content: `${first.content}\n\n${instructions}` }, ...rest]
    : [{ role: 'system', content: instructions }, ...messages]
}

/** Sends a finished text to whoever reads. */
export function sendText(sink: AnswerSink | undefined, text: string): void {
  if (text !== '') sink?.delta({ kind: 'text', choice: 0, text })
}

interface Attempts {
  better(sink: AnswerSink | undefined): Promise<LoopResult>
  /** Undefined: there is none, and the failure is thrown. */
  bestSoFar(): Pick<LoopResult, 'text'> | undefined
}

/** The better answer; where a bound of the turn is reached before it is done, the best so far, with a note. */
export async function orBestSoFar(
  run: AgentRun,
  sink: AnswerSink | undefined,
  { better, bestSoFar }: Attempts,
): Promise<LoopResult> {
  const answer = new AnswerText(sink)
  try {
    return await better(answer.sink)
  } catch (error) {
    const bound = reachedBound(run, error)
    if (bound === undefined) throw error
    answer.cutStep()
    if (answer.isEmpty) answer.addParagraph(bestSoFar()?.text ?? '')
    if (answer.isEmpty) throw error
    const note = usedUpNote(bound)
    if (answer.text.endsWith(`[${note}]`)) return { text: answer.text, clientCalls: null, finishReason: 'length' }
    return answer.endWith(note)
  }
}
