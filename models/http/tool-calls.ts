/** Tool calls as the chat convention has them: each with an id to answer to, and its arguments as text. */
import { randomUUID } from 'node:crypto'
import { isRecord } from './fields.ts'

/** Whole calls, normalized. The same array where nothing is missing. */
export function normalizedCalls(calls: unknown[]): unknown[] {
  if (calls.every(isNormal)) return calls
  return calls.filter(isRecord).map((call) => {
    const { id, function: called } = call
    return {
      ...call,
      id: typeof id === 'string' && id !== '' ? id : newCallId(),
      type: call['type'] ?? 'function',
      ...(isRecord(called) && { function: { ...called, arguments: argumentsText(called['arguments']) } }),
    }
  })
}

function isNormal(call: unknown): boolean {
  if (!isRecord(call) || typeof call['id'] !== 'string' || call['id'] === '') return false
  return !isRecord(call['function']) || typeof call['function']['arguments'] === 'string'
}

/** Some endpoints send the arguments as the object that they should be the text of. */
export function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

export function newCallId(): string {
  return `call_${randomUUID().replaceAll('-', '')}`
}
