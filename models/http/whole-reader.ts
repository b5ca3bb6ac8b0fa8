/** Reads an answer that comes in one piece. */
import type { DeltaSink } from '../transport.ts'
import type { WholeAnswer, WholeAnswerReader } from './dialect.ts'
import { answerTooLarge, type EndpointLabel } from './failures.ts'
import { parseObject } from './parse-object.ts'

const answerBytesMax = 33_554_432

/** What the body's JSON says, as the answer it is. @throws ModelError */
export type AnswerParser = (body: Record<string, unknown>, endpoint: EndpointLabel) => WholeAnswer

export class WholeReader implements WholeAnswerReader {
  answer: WholeAnswer | undefined
  readonly #endpoint: EndpointLabel
  readonly #parse: AnswerParser
  readonly #parts: Buffer[] = []
  #bytesTotal = 0

  constructor(endpoint: EndpointLabel, parse: AnswerParser) {
    this.#endpoint = endpoint
    this.#parse = parse
  }

  get isComplete(): boolean {
    return this.answer !== undefined
  }

  data(bytes: Buffer): boolean {
    this.#bytesTotal += bytes.length
    if (this.#bytesTotal > answerBytesMax) throw answerTooLarge(`an answer of more than ${answerBytesMax} bytes`)
    this.#parts.push(bytes)
    return true
  }

  end(): void {
    const [only] = this.#parts
    const bytes = only && this.#parts.length === 1 ? only : Buffer.concat(this.#parts)
    this.answer = this.#parse(parseObject(bytes, 'an answer'), this.#endpoint)
  }
}

/** The answer of an endpoint that was asked to stream and sent it in one piece: emitted as a stream of large pieces. */
export function emitWholeAnswer(answer: WholeAnswer, modelByDefault: string, sink: DeltaSink): void {
  sink.delta({ kind: 'model', model: answer.model ?? modelByDefault, extra: answer.extra })
  for (const { index, message, finish_reason: finishReason, logprobs } of answer.choices) {
    const calls = message['tool_calls']
    // Pieces of tool calls are told apart by their index.
    const delta = Array.isArray(calls)
      ? { ...message, tool_calls: calls.map((call: object, at) => ({ index: at, ...call })) }
      : message
    sink.delta({ kind: 'raw', choice: index, delta, ...(logprobs ? { logprobs } : {}) })
    sink.delta({ kind: 'finish', choice: index, finishReason: finishReason ?? 'stop' })
  }
}
