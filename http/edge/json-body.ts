/** From body bytes to a value: JSON only, UTF-8 only, nested no deeper than 64, parsed once. */
import { isUtf8 } from 'node:buffer'
import { ApiError, badRequest } from '../error.ts'
import { isShallow } from './json-depth.ts'

const jsonDepthMax = 64

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i
const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i

/** Undefined when a body of this type may be parsed. */
export function refuseContentType(contentType: string): ApiError | undefined {
  if (contentType === 'application/json') return undefined
  const given = charset.exec(contentType)?.[1]?.toLowerCase()
  if (jsonType.test(contentType) && (given === undefined || given === 'utf-8' || given === 'utf8')) return undefined
  const said = contentType === '' ? 'no Content-Type' : `Content-Type ${JSON.stringify(contentType.slice(0, 100))}`
  return new ApiError(
    'unsupported_media_type',
    `This endpoint takes a JSON body in UTF-8 (Content-Type: application/json); the request has ${said}.`,
  )
}

/** @throws ApiError 400 saying what is wrong with the text */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) throw badRequest('The request has no body; this endpoint takes a JSON object.')
  if (!isUtf8(bytes)) throw badRequest('The body is not valid UTF-8.')
  if (!isShallow(bytes, jsonDepthMax)) throw badRequest(`The body nests deeper than ${jsonDepthMax} levels.`)
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    throw new ApiError('bad_request', `The body is not valid JSON: ${placeOf(cause)}.`, {
      cause,
    })
  }
}

/** The parser's message without the excerpt of the body that it quotes. */
function placeOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : ''
  const position = /at position \d+/.exec(message)?.[0]
  if (position) return `it breaks off or goes wrong ${position}`
  return message.startsWith('Unexpected end') ? 'it ends too early' : 'something stands where it cannot'
}
