/** The JSON of an endpoint, which must be an object, of a shape that the event loop can bear. */
import { excessOf, type JsonBounds } from '../../runtime/json-shape.ts'
import { answerTooLarge, malformedAnswer } from './failures.ts'
import { isRecord } from './fields.ts'

/** A whole answer with the likelihoods of thousands of tokens fits; more of them can be streamed. */
const answerBounds: JsonBounds = { depthMax: 64, valuesMax: 200_000, fieldsMax: 100_000, fieldsOfObjectMax: 1_000 }

/** A text of up to this length can exceed none of the bounds in a way that matters. */
const harmlessLength = 1_024

/** @param what is parsed, for the message: "an event" @throws ModelError `garbage`, `answer_too_large` */
export function parseObject(source: string | Buffer, what: string): Record<string, unknown> {
  const excess = source.length > harmlessLength ? excessOf(Buffer.from(source), answerBounds) : undefined
  if (excess) throw answerTooLarge(`${what} that ${excess}`)
  let value: unknown
  try {
    value = JSON.parse(source.toString())
  } catch {
    // Without the parser's message: it quotes the text, which may be anything.
    throw malformedAnswer(`${what} that is no JSON`)
  }
  if (!isRecord(value)) throw malformedAnswer(`${what} that is no object`)
  return value
}
