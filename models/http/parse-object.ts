/** The JSON of an endpoint, which must be an object. */
import { malformedAnswer } from './failures.ts'
import { isRecord } from './fields.ts'

/** @param what is parsed, for the message: "an event" @throws ModelError `garbage` */
export function parseObject(text: string, what: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Without the parser's message: it quotes the text, which may be anything.
    throw malformedAnswer(`${what} that is no JSON`)
  }
  if (!isRecord(value)) throw malformedAnswer(`${what} that is no object`)
  return value
}
