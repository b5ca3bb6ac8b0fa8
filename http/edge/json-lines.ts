/** Lines of JSON. Each line is parsed separately, so that a broken one does not affect the others. */

import { JsonScanner } from '../../runtime/json-shape.ts'
import { ApiError, badRequest } from '../error.ts'
import { parsed, refuseNoJson, tooMuch } from './json-body.ts'

const lineType = /^application\/(?:x-)?(?:ndjson|jsonl|json-lines|json-seq)\s*(?:;|$)/i

export const areLines = (contentType: string): boolean => lineType.test(contentType)

export const linesMax = 2_000

export class JsonLines {
  /** For each line that is not blank: its value, or the error. */
  readonly items: readonly unknown[]
  constructor(items: readonly unknown[]) {
    this.items = items
  }
}

/** A line without its newline, or undefined past the end. Blank lines are passed over in one go. */
export class LineReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  next(): Buffer | undefined {
    const bytes = this.#bytes
    let start = this.#at
    while (start < bytes.length && isSpace(bytes[start])) start++
    if (start >= bytes.length) return undefined
    const newline = bytes.indexOf(10, start)
    const end = newline < 0 ? bytes.length : newline
    this.#at = end + 1
    return bytes.subarray(start, end)
  }
}

const isSpace = (byte: number | undefined): boolean => byte === 10 || byte === 32 || byte === 13 || byte === 9

/** @throws ApiError where the whole body is refused */
export function parseJsonLines(bytes: Buffer): JsonLines {
  const lines = new LineReader(bytes)
  const scanner = new JsonScanner()
  const items: unknown[] = []
  for (let line = lines.next(); line; line = lines.next()) {
    if (items.length === linesMax) throw tooManyLines()
    items.push(lineItem(line, scanner))
  }
  if (items.length === 0) throw noLines()
  return new JsonLines(items)
}

/** Its value, or the error. */
export function lineItem(line: Buffer, scanner: JsonScanner): unknown {
  try {
    refuseNoJson(line)
    scanner.nextText()
    const excess = scanner.take(line, 0, line.length)
    return excess ? tooMuch(excess) : parsed(line)
  } catch (error) {
    return error
  }
}

export const tooManyLines = (): ApiError =>
  new ApiError('too_many_items', `At most ${linesMax} lines fit into one request.`)

export const noLines = (): ApiError => badRequest('The request has no body; this endpoint takes lines of JSON.')
