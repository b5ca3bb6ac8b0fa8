/** What every strategy is given and gives: a way from a conversation to an answer, over the same loop. */
import type { ChatMessage } from '../../../../models/transport.ts'
import type { AgentRun, AnswerSink } from '../agent-run.ts'
import type { LoopRequest, LoopResult } from '../loop.ts'

/** What is asked; the path is the strategy's own to divide. */
export type Ask = Omit<LoopRequest, 'sink'>

/** @param sink who reads the answer as it comes; absent: it is a draft that nobody reads */
export type Strategy = (run: AgentRun, ask: Ask, sink: AnswerSink | undefined) => Promise<LoopResult>

export function under(path: string, name: string): string {
  return path === '' ? name : `${path}/${name}`
}

/** The conversation without its system message, so that a judge or planner has one of its own. */
export function withSystem(messages: readonly ChatMessage[], system: string): ChatMessage[] {
  return [{ role: 'system', content: system }, ...messages.filter(({ role }) => role !== 'system')]
}

/** With more words of the system, behind those that are there. */
export function addToSystem(messages: readonly ChatMessage[], words: string): ChatMessage[] {
  const [first, ...rest] = messages
  return first?.role === 'system' && typeof first.content === 'string'
    ? [{ ...first, content: `${first.content}\n\n${words}` }, ...rest]
    : [{ role: 'system', content: words }, ...messages]
}

/** In parallel, within a bound, in order; all are done when it returns or throws. */
export async function each<Item, Result>(
  items: readonly Item[],
  work: (item: Item, at: number) => Promise<Result>,
): Promise<Result[]> {
  const settled: PromiseSettledResult<Result>[] = []
  let next = 0
  async function worker(): Promise<void> {
    for (let at = next++; at < items.length; at = next++) {
      const item = items[at] as Item
      settled[at] = await work(item, at).then(
        (value) => ({ status: 'fulfilled', value }),
        (reason: unknown) => ({ status: 'rejected', reason }),
      )
    }
  }
  await Promise.all(Array.from({ length: Math.min(candidatesAtOnce, items.length) }, worker))
  const failed = settled.find((one) => one.status === 'rejected')
  if (failed) throw failed.reason
  return settled.map((one) => (one as PromiseFulfilledResult<Result>).value)
}

const candidatesAtOnce = 8

/** Says a finished text to whoever reads. */
export function tell(sink: AnswerSink | undefined, text: string): void {
  if (text !== '') sink?.delta({ kind: 'text', choice: 0, text })
}
