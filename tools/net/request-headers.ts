/** The headers that a model may set: none that control the connection, forge an origin or belong to the operator. */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { ToolFailed } from '../tool.ts'

const reservedHeaders: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'date',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'idempotency-key',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
  'x-real-ip',
])
const reservedPrefixes = ['proxy-', 'sec-', 'x-forwarded-', 'x-http-method']

/** @param operatorHeaders names that the operator sets for this host @returns names in lower case @throws ToolFailed `bad_header` */
export function requestHeaders(
  headersOfModel: Readonly<Record<string, string>>,
  operatorHeaders: readonly string[],
): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(headersOfModel)) {
    const lower = name.toLowerCase()
    if (!isHeader(name, value))
      throw new ToolFailed('bad_header', 'A header has a name or a value that is not allowed in HTTP.')
    if (operatorHeaders.includes(lower))
      throw new ToolFailed('bad_header', `The header ${lower} is set by the operator for this host; leave it out.`)
    if (reservedHeaders.has(lower) || reservedPrefixes.some((beginning) => lower.startsWith(beginning)))
      throw new ToolFailed('bad_header', `The header ${lower} cannot be set; leave it out.`)
    headers[lower] = value
  }
  return headers
}

function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false // Node reports it by an error
  }
}
