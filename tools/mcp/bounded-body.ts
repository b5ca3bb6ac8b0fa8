/** The body of an HTTP server's answer, counted as it is read: a whole answer by its bytes, a stream by each of its events. */

import { JsonScanner } from '../../runtime/json-shape.ts'
import { McpConnectionFailed } from './connection-failed.ts'
import type { FlowLimit } from './flow-limit.ts'
import { messageBounds, misshapen } from './message-shape.ts'

/** @throws McpProblem past a bound */
export type Meter = (chunk: Buffer) => void

export function wholeMeter(bytesMax: number, flow: FlowLimit): Meter {
  let bytes = 0
  return (chunk) => {
    bytes += chunk.length
    if (bytes > bytesMax) throw tooLarge(bytesMax)
    flow.take(chunk.length, 0)
  }
}

/** White space, and the byte order mark that a UTF-8 decoder skips. */
const leading: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])
const openingBracket = 0x5b

/**
 * A whole answer in JSON, which is one message. Protocol 2025-03-26 allowed lists of them, and the SDK still takes every
 * one that fits into the bound: a quarter of a million, at up to 0.3 ms of the main thread each.
 */
export function messageMeter(bytesMax: number, flow: FlowLimit): Meter {
  const whole = wholeMeter(bytesMax, flow)
  const scanner = new JsonScanner(messageBounds)
  let hasBegun = false
  return (chunk) => {
    whole(chunk)
    const excess = scanner.take(chunk, 0, chunk.length)
    if (excess) throw misshapen(excess)
    if (hasBegun) return
    const first = chunk.find((byte) => !leading.has(byte))
    hasBegun = first !== undefined
    if (first === openingBracket)
      throw new McpConnectionFailed('not_mcp', 'it answered with a list of messages in place of one')
  }
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** Events end with an empty line, whichever of the three line ends the server uses (WHATWG HTML, 9.2.5). */
export function eventMeter(eventBytesMax: number, flow: FlowLimit): Meter {
  let eventBytes = 0
  let lineBytes = 0
  let isAfterReturn = false
  const scanner = new JsonScanner(messageBounds)

  /** The names of fields and comments count as well, which costs an honest server nothing. */
  function scan(chunk: Buffer, from: number, to: number): void {
    const excess = scanner.take(chunk, from, to)
    if (excess) throw misshapen(excess)
  }

  return (chunk) => {
    let events = 0
    let lineFrom = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]
      eventBytes++
      const isSecondHalf = isAfterReturn && byte === lineFeed
      isAfterReturn = byte === carriageReturn
      if (isSecondHalf) continue
      if (byte !== lineFeed && byte !== carriageReturn) {
        lineBytes++
        continue
      }
      scan(chunk, lineFrom, at)
      scanner.nextLine()
      lineFrom = at + 1
      if (lineBytes === 0) {
        events++
        if (eventBytes > eventBytesMax) throw tooLarge(eventBytesMax)
        eventBytes = 0
        scanner.restart()
      }
      lineBytes = 0
    }
    if (eventBytes > eventBytesMax) throw tooLarge(eventBytesMax)
    scan(chunk, lineFrom, chunk.length)
    flow.take(chunk.length, events)
  }
}

function tooLarge(bytesMax: number): McpConnectionFailed {
  return new McpConnectionFailed('message_too_large', `it sent a message of more than ${bytesMax} bytes`)
}

export interface BoundedBody {
  readonly stream: ReadableStream<Uint8Array>
  /** Adds `last` and closes, whatever the server would still send. */
  finish(last: Uint8Array): void
}

interface BodyEnds {
  /** The server broke off, or a bound was passed. */
  onBroken(error: unknown): void
  /** However it ended; once. */
  onOver(): void
}

export function boundedBody(body: ReadableStream<Uint8Array>, meter: Meter, ends: BodyEnds): BoundedBody {
  const reader = body.getReader()
  let isOver = false
  let finish: (last: Uint8Array) => void = () => undefined

  function over(): boolean {
    if (isOver) return false
    isOver = true
    ends.onOver()
    return true
  }

  function cancelReader(reason: string): void {
    // A body that is broken already rejects this too; then there is nothing left to cancel.
    reader.cancel(reason).catch(() => undefined)
  }

  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      finish = (last) => {
        if (!over()) return
        controller.enqueue(last)
        controller.close()
        cancelReader('no longer wanted')
      }
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (isOver) return
        if (done) {
          over()
          controller.close()
        } else {
          meter(Buffer.from(value.buffer, value.byteOffset, value.length))
          controller.enqueue(value)
        }
      } catch (error) {
        if (!over()) return
        cancelReader('past its bounds')
        controller.error(error)
        ends.onBroken(error)
      }
    },
    cancel(reason) {
      over()
      return reader.cancel(reason)
    },
  })
  return { stream, finish: (last) => finish(last) }
}
