/** Lines of JSON. Each line is parsed separately, so that a broken one does not affect the others. */
import { badRequest } from '../error.ts'
import { parseJsonBody } from './json-body.ts'

const lineType = /^application\/(?:x-)?(?:ndjson|jsonl|json-lines|json-seq)\s*(?:;|$)/i

export const areLines = (contentType: string): boolean => lineType.test(contentType)

export class JsonLines {
  /** For each line that is not blank: its value, or the error. */
  readonly items: readonly unknown[]
  constructor(items: readonly unknown[]) {
    this.items = items
  }
}

/** @param linesMax one line more is returned, so that the caller sees that there are too many */
export function parseJsonLines(bytes: Buffer, linesMax = 10_000): JsonLines {
  const items: unknown[] = []
  for (let start = 0; start < bytes.length && items.length <= linesMax; ) {
    const newline = bytes.indexOf(10, start)
    const end = newline < 0 ? bytes.length : newline
    const line = bytes.subarray(start, end)
    start = end + 1
    if (!isBlank(line)) items.push(itemOf(line))
  }
  if (items.length === 0) throw badRequest('The request has no body; this endpoint takes lines of JSON.')
  return new JsonLines(items)
}

function itemOf(line: Buffer): unknown {
  try {
    return parseJsonBody(line)
  } catch (error) {
    return error
  }
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 32 || byte === 13 || byte === 9)
}
