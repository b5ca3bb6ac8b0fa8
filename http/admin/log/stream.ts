/** `GET /v1/admin/log/stream`: the log as it is written, resumable by the id of a line. */
import { z } from 'zod'
import type { LogTail, TailLine } from '../../../runtime/log/tail.ts'
import type { Clock } from '../../../runtime/time/clock.ts'
import { seconds } from '../../../runtime/time/duration.ts'
import { every } from '../../../runtime/time/every.ts'
import { admin } from '../../access.ts'
import { eventStream } from '../../answer.ts'
import { writeAtPace } from '../../edge/write-at-pace.ts'
import { ApiError, badRequest } from '../../error.ts'
import { route } from '../../route.ts'
import type { StreamWriter } from '../../server/stream-writer.ts'
import { filterOf, logFilter, logLine, processName, tailOf } from './lines.ts'

const heartbeatMs = seconds(15)
const pieceLines = 200

const path = '/v1/admin/log/stream'

/** Bounded because every line wakes every reader. */
const readersMax = 50

export const streamLog = route({
  method: 'GET',
  path,
  summary: 'Follow the log',
  description:
    'Server-sent events `line`, each with its id. Last-Event-ID or after resumes after that line; without either only new ' +
    'lines are sent. `missed` has the number of lines that a reader who was away or too slow has lost.',
  tag: 'log',
  access: admin('log.read', { isInstallation: true }),
  headers: ['last-event-id'],
  query: z.object({ ...logFilter, after: z.string().max(40).optional().describe('The id of an event.') }),
  answers: { 200: { contentType: 'text/event-stream', description: 'Lines, as they are written.' } },
  handle(call) {
    const tail = tailOf(call.app)
    const from = placeOf(call.header('last-event-id') || (call.query.after ?? ''), tail)
    // This reader is counted too, as soon as it is answered.
    if (call.app.auth.liveCredentials.count(path) >= readersMax) throw tooMany()
    const passes = filterOf(call.query)
    return eventStream({}, (out) => follow({ tail, passes, out, clock: call.app.clock }, from ?? tail.newestSeq))
  },
})

/** Undefined: only new lines. @throws ApiError 400 for an invalid id */
function placeOf(id: string, tail: LogTail): number | undefined {
  if (id === '') return undefined
  const [, process, seq] = /^([0-9a-f]{8})-(\d{1,15})$/.exec(id) ?? []
  if (process === undefined) throw badRequest('This is not an id of a line.', 'after')
  // Of an earlier process: all lines of this one are new to the reader.
  return process === processName ? Math.min(Number(seq), tail.newestSeq) : 0
}

interface Following {
  tail: LogTail
  passes(line: TailLine): boolean
  out: StreamWriter
  clock: Clock
}

/**
 * Reads the ring as fast as the reader takes it, never faster: what the ring has dropped meanwhile is lost to this reader,
 * who is told how much. Nothing is kept for anybody.
 */
async function follow({ tail, passes, out, clock }: Following, after: number): Promise<void> {
  let at = after
  let isBlocked = false
  const waits = waiting(tail, out)
  const beat = () => !isBlocked && out.write(': heartbeat\n\n')
  const heartbeat = every(heartbeatMs, beat, { clock, onError() {} })
  async function write(text: string): Promise<void> {
    const waiting = writeAtPace(out, text)
    if (!waiting) return
    isBlocked = true
    await waiting
    isBlocked = false
  }
  out.write('retry: 2000\n\n')
  try {
    while (!out.signal.aborted) {
      const page = tail.since(at, pieceLines)
      if (page.missed > 0) await write(`event: missed\ndata: ${JSON.stringify({ lines: page.missed })}\n\n`)
      for (const line of page.lines) if (passes(line) && !out.signal.aborted) await write(eventText(line))
      at = page.lines.at(-1)?.seq ?? at + page.missed
      await (page.lines.length < pieceLines ? waits.nextLine(at) : new Promise(setImmediate))
    }
  } finally {
    void heartbeat.stop()
    waits.close()
  }
}

/** Waiting for lines that ends with the reader; no promise outlives the wait that it was made for. */
function waiting(tail: LogTail, out: StreamWriter) {
  let lineCame = () => {}
  const subscription = tail.subscribe(() => lineCame())
  const left = () => lineCame()
  out.signal.addEventListener('abort', left, { once: true })
  return {
    nextLine(behind: number): Promise<void> {
      return new Promise((resolve) => {
        lineCame = resolve
        if (out.signal.aborted) resolve()
        else subscription.rearm(behind)
      })
    },
    close() {
      out.signal.removeEventListener('abort', left)
      subscription.close()
    },
  }
}

function eventText(line: TailLine): string {
  return `id: ${processName}-${line.seq}\nevent: line\ndata: ${JSON.stringify(logLine(line))}\n\n`
}

const tooMany = (): ApiError => new ApiError('too_many_readers', `${readersMax} readers follow the log already.`)
