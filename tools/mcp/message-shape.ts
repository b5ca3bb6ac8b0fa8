/** The shape of a server's message, judged before it is parsed: a million fields cost the main thread seconds. */
import { excessOf, type JsonBounds } from '../../runtime/json-shape.ts'
import { McpConnectionFailed } from './connection-failed.ts'

/** Far more than fits into a result. Nesting is judged where a result is told. */
export const messageBounds: JsonBounds = {
  depthMax: 100_000,
  valuesMax: 200_000,
  fieldsMax: 100_000,
  fieldsOfObjectMax: 20_000,
}

/** @throws McpConnectionFailed `message_too_large` */
export function checkShape(line: string): void {
  const excess = excessOf(Buffer.from(line), messageBounds)
  if (excess) throw misshapen(excess)
}

export const misshapen = (excess: string) =>
  new McpConnectionFailed('message_too_large', `it sent a message that ${excess}`)
