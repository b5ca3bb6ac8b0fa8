/** Parses bodies that are too large for the event loop: scanned in slices, then parsed on a thread. */

import { JsonScanner } from '../../runtime/json-shape.ts'
import type { Log } from '../../runtime/log/log.ts'
import { createPool } from '../../runtime/pool/pool.ts'
import type { Metrics } from '../../runtime/telemetry/metrics.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { type ParseJsonResult, type ParseJsonTask, parseJsonPool } from '../../workers/parse-json.task.ts'
import { overloaded } from '../error.ts'
import { notJson, refuseNoJson, tooMuch } from './json-body.ts'
import { JsonLines, LineReader, lineItem, linesMax, noLines, tooManyLines } from './json-lines.ts'

/** A body of up to this size is parsed at once: at worst some ten milliseconds. */
export const largeBytes = 131_072

/** Of one slice of work on the event loop. */
const sliceBytes = 262_144

/** Bodies that wait for their turn, all together. Past it they are refused, not queued. */
const waitingBytesMax = 64 * 1_048_576

export interface LargeJson {
  /** @param bytes kept until it ends @throws ApiError 400; 503 when too much waits */
  parse(bytes: Buffer): Promise<unknown>
  /** @throws as `parse` */
  parseLines(bytes: Buffer): Promise<JsonLines>
  close(): Promise<void>
}

export function openLargeJson(options: { clock: Clock; log: Log; metrics?: Metrics }): LargeJson {
  const pool = createPool<ParseJsonTask, ParseJsonResult>({ ...parseJsonPool, ...options })
  let waitingBytes = 0

  async function bounded<Result>(bytes: Buffer, work: () => Promise<Result>): Promise<Result> {
    if (waitingBytes + bytes.length > waitingBytesMax)
      throw overloaded('Too many large request bodies are being parsed; try again.')
    waitingBytes += bytes.length
    try {
      return await work()
    } finally {
      waitingBytes -= bytes.length
    }
  }

  async function parse(bytes: Buffer, scanner: JsonScanner): Promise<unknown> {
    refuseNoJson(bytes)
    for (let from = 0; from < bytes.length; from += sliceBytes) {
      await nextTurn()
      const excess = scanner.take(bytes, from, Math.min(from + sliceBytes, bytes.length))
      if (excess) throw tooMuch(excess)
    }
    const own = new Uint8Array(bytes)
    const result = await pool.run({ bytes: own }, { transfer: [own.buffer] })
    if ('parserMessage' in result) throw notJson(result.parserMessage)
    return result.value
  }

  async function parseLines(bytes: Buffer): Promise<JsonLines> {
    const lines = new LineReader(bytes)
    const scanner = new JsonScanner()
    const items: unknown[] = []
    let sinceTurn = 0
    for (let line = lines.next(); line; line = lines.next()) {
      if (items.length === linesMax) throw tooManyLines()
      if (line.length > largeBytes) {
        scanner.nextText()
        items.push(await parse(line, scanner).catch((error: unknown) => error))
        continue
      }
      items.push(lineItem(line, scanner))
      sinceTurn += line.length
      if (sinceTurn > largeBytes) {
        await nextTurn()
        sinceTurn = 0
      }
    }
    if (items.length === 0) throw noLines()
    return new JsonLines(items)
  }

  return {
    parse: (bytes) => bounded(bytes, () => parse(bytes, new JsonScanner())),
    parseLines: (bytes) => bounded(bytes, () => parseLines(bytes)),
    close: () => pool.close(),
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
