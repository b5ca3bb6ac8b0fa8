/** Parses a request's body: JSON in UTF-8, of a bounded shape. */
import { isUtf8 } from 'node:buffer'
import { excessOf } from '../../runtime/json-shape.ts'
import { type ApiError, badRequest } from '../error.ts'

/** @throws ApiError 400 with what is wrong */
export function parseJsonBody(bytes: Buffer): unknown {
  refuseNoJson(bytes)
  const excess = excessOf(bytes)
  if (excess) throw tooMuch(excess)
  return parsed(bytes)
}

/** @throws ApiError 400 */
export function refuseNoJson(bytes: Buffer): void {
  if (bytes.length === 0) throw badRequest('The request has no body; this endpoint takes a JSON object.')
  if (!isUtf8(bytes)) throw badRequest('The body is not valid UTF-8.')
}

export const tooMuch = (excess: string): ApiError => badRequest(`The body ${excess}.`)

/** @throws ApiError 400 */
export function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw notJson(error instanceof Error ? error.message : '')
  }
}

/** With the place of the parser's finding, without the excerpt of the body in its message. */
export function notJson(parserMessage: string): ApiError {
  const position = /at position \d+/.exec(parserMessage)?.[0]
  const unexpected = parserMessage.startsWith('Unexpected end') ? 'unexpected end' : 'syntax error'
  return badRequest(`The body is not valid JSON: ${position ? `syntax error ${position}` : unexpected}.`)
}
