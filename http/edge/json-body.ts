/** Parses a request's body: JSON in UTF-8, nested at most 64 levels deep. */
import { isUtf8 } from 'node:buffer'
import { ApiError, badRequest } from '../error.ts'
import { isShallow } from './json-depth.ts'

const jsonDepthMax = 64

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i
const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i

/** Undefined when a body of this type is accepted. */
export function refuseContentType(contentType: string): ApiError | undefined {
  if (contentType === 'application/json') return undefined
  const encoding = charset.exec(contentType)?.[1]?.toLowerCase()
  const isUtf8Text = encoding === undefined || encoding === 'utf-8' || encoding === 'utf8'
  if (jsonType.test(contentType) && isUtf8Text) return undefined
  const actual = contentType === '' ? 'no Content-Type' : `Content-Type ${JSON.stringify(contentType.slice(0, 100))}`
  return new ApiError(
    'unsupported_media_type',
    `This endpoint takes a JSON body in UTF-8 (Content-Type: application/json); the request has ${actual}.`,
  )
}

/** @throws ApiError 400 with what is wrong */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) throw badRequest('The request has no body; this endpoint takes a JSON object.')
  if (!isUtf8(bytes)) throw badRequest('The body is not valid UTF-8.')
  if (!isShallow(bytes, jsonDepthMax)) throw badRequest(`The body nests deeper than ${jsonDepthMax} levels.`)
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    throw new ApiError('bad_request', `The body is not valid JSON: ${placeOf(cause)}.`, { cause })
  }
}

/** The parser's finding, without the excerpt of the body in its message. */
function placeOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : ''
  const position = /at position \d+/.exec(message)?.[0]
  if (position) return `syntax error ${position}`
  return message.startsWith('Unexpected end') ? 'unexpected end' : 'syntax error'
}
