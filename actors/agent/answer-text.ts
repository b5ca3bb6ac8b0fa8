/** The answer of a loop so far: the words of its steps are paragraphs of one answer, sent to whoever reads as they come. */
import { TextPile } from '../../runtime/text-pile.ts'
import type { AgentRun, AnswerSink } from './agent-run.ts'
import { type Bound, BoundReached } from './budget/budget.ts'
import type { LoopResult } from './loop-request.ts'

const separator = '\n\n'

export class AnswerText {
  readonly #paragraphs: string[] = []
  /** What the reader was sent of the step under way. */
  #step = new TextPile()
  /** For the model's words of one step; undefined: nobody reads. */
  readonly sink: AnswerSink | undefined

  constructor(reader: AnswerSink | undefined) {
    this.sink = reader && {
      delta: (delta) =>
        reader.delta(
          delta.kind === 'text' ? { kind: 'text', choice: delta.choice, text: this.#addToStep(delta.text) } : delta,
        ),
      onRoom: (resume) => reader.onRoom(resume),
    }
  }

  get isEmpty(): boolean {
    return this.#paragraphs.length === 0
  }

  get text(): string {
    return this.#paragraphs.join(separator)
  }

  /** A step is over, and these are its words. */
  endStep(text: string): void {
    if (text !== '') this.#paragraphs.push(text)
    this.#step = new TextPile()
  }

  /** A step was cut off: what the reader was sent of it stands. */
  cutStep(): void {
    this.endStep(this.#step.toString())
  }

  /** A paragraph that is no step, sent at once. */
  addParagraph(text: string): void {
    if (text !== '') this.sink?.delta({ kind: 'text', choice: 0, text })
    this.endStep(text)
  }

  /** The answer ends here and says why. */
  endWith(reason: string): LoopResult {
    this.addParagraph(`[${reason}]`)
    return { text: this.text, clientCalls: null, finishReason: 'length' }
  }

  /** The separator from the step before goes out with the first word: a step without words leaves no gap. */
  #addToStep(text: string): string {
    const isFirst = this.#step.length === 0 && text !== ''
    this.#step.add(text)
    return isFirst && this.#paragraphs.length > 0 ? separator + text : text
  }
}

/** The bound of the turn that caused a failure; undefined: it has another cause. */
export function reachedBound(run: AgentRun, error: unknown): Bound | undefined {
  const reason: unknown = run.signal.aborted ? run.signal.reason : error
  return reason instanceof BoundReached ? reason.bound : undefined
}

export const usedUpNote = (bound: Bound): string => `The turn has used up its ${bound}.`
