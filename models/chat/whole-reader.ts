/** Reads an answer that comes in one piece, and takes it apart. */

import type { WholeAnswer, WholeAnswerReader } from '../http/dialect.ts'
import { answerTooLarge, type EndpointLabel, errorInAnswer, malformedAnswer } from '../http/failures.ts'
import { isRecord } from '../http/fields.ts'
import type { DeltaSink, ModelChoice } from '../transport.ts'
import { collectExtra, generatedText, usageIn } from './chunk.ts'
import { normalizedCalls } from './tool-call-pieces.ts'

const answerBytesMax = 33_554_432

/** What the body's JSON says, as the answer it is. @throws ModelError */
export type AnswerParser = (body: Record<string, unknown>, address: EndpointLabel) => WholeAnswer

export class WholeReader implements WholeAnswerReader {
  answer: WholeAnswer | undefined
  readonly #address: EndpointLabel
  readonly #takeApart: AnswerParser
  readonly #parts: Buffer[] = []
  #bytesTotal = 0

  constructor(address: EndpointLabel, takeApart: AnswerParser = chatAnswer) {
    this.#address = address
    this.#takeApart = takeApart
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
    this.answer = this.#takeApart(parsed(bytes.toString('utf8')), this.#address)
  }
}

function parsed(text: string): Record<string, unknown> {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    // Without the parser's words: they quote what it was given, and that may be anything.
    throw malformedAnswer('an answer that is no JSON')
  }
  if (!isRecord(body)) throw malformedAnswer('an answer that is no object')
  return body
}

function chatAnswer(body: Record<string, unknown>, address: EndpointLabel): WholeAnswer {
  const { choices, model } = body
  // Some endpoints say 200 to what went wrong.
  if (body['error'] && !Array.isArray(choices)) throw errorInAnswer(body['error'], address)
  if (!Array.isArray(choices) || !choices.every(isChoice)) throw malformedAnswer('an answer without choices')
  const extra: Record<string, unknown> = {}
  collectExtra(body, extra)
  return {
    model: typeof model === 'string' && model !== '' ? model : undefined,
    choices: choices.map(mended),
    usage: usageIn(body['usage']),
    extra,
    answerText: choices.map((choice) => generatedText(choice.message)).join('\n'),
  }
}

function mended(choice: ModelChoice): ModelChoice {
  const calls = choice.message['tool_calls']
  const placed = Array.isArray(calls) ? normalizedCalls(calls) : calls
  return placed === calls ? choice : { ...choice, message: { ...choice.message, tool_calls: placed } }
}

function isChoice(value: unknown): value is ModelChoice {
  return isRecord(value) && typeof value['index'] === 'number' && isRecord(value['message'])
}

/** An endpoint that was asked to stream and answered in one piece: told as a stream of large pieces. */
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
