/** One streamed answer of the scripted endpoint: in a burst at the reader's pace, or paced by the clock. */
import type { HttpResponse } from 'uWebSockets.js'
import { nowUs } from '../monotonic.ts'
import { endOfStream, roleChunk, timedChunk } from './answers.ts'

/** Chunks a write: about 3 KB, as an endpoint under load sends them. Made once: the endpoint must not be what is measured. */
const burstChunks = 16
const untimed = timedChunk(0)
const fullBurst = untimed.repeat(burstChunks)

/** Set by the abort handler. */
export interface Reader {
  isGone: boolean
}

function begin(response: HttpResponse): void {
  response.writeStatus('200 OK').writeHeader('content-type', 'text/event-stream; charset=utf-8')
  response.writeHeader('cache-control', 'no-cache')
}

export function streamBurst(response: HttpResponse, reader: Reader, chunks: number, wantsUsage: boolean): void {
  let remaining = chunks
  let isEnded = false
  const writeOn = (): boolean => {
    while (remaining > 0) {
      if (reader.isGone) return true
      const count = Math.min(burstChunks, remaining)
      remaining -= count
      if (!response.write(count === burstChunks ? fullBurst : untimed.repeat(count))) return false
    }
    // The last bytes may drain after the end was written.
    if (reader.isGone || isEnded) return true
    isEnded = true
    response.end(endOfStream(chunks, wantsUsage))
    return true
  }
  response.cork(() => {
    begin(response)
    response.write(roleChunk)
  })
  response.onWritable(writeOn)
  response.cork(() => void writeOn())
}

export function streamPaced(
  response: HttpResponse,
  reader: Reader,
  script: { chunks: number; intervalMs: number },
  wantsUsage: boolean,
): void {
  const startedMs = performance.now()
  let sent = 0
  response.cork(() => {
    begin(response)
    response.write(roleChunk)
  })
  const tick = (): void => {
    if (reader.isGone) return
    if (sent === script.chunks) {
      response.cork(() => response.end(endOfStream(script.chunks, wantsUsage)))
      return
    }
    sent++
    response.cork(() => response.write(timedChunk(nowUs())))
    // Against the schedule, not against the last tick: lateness does not add up.
    setTimeout(tick, Math.max(0, startedMs + (sent + 1) * script.intervalMs - performance.now()))
  }
  setTimeout(tick, script.intervalMs)
}

/** Breaks off in mid-stream, without the word that ends one. */
export function streamCut(response: HttpResponse, reader: Reader, chunks: number): void {
  response.cork(() => {
    begin(response)
    response.write(roleChunk + untimed.repeat(chunks))
  })
  setTimeout(() => {
    if (!reader.isGone) response.close()
  }, 5)
}
