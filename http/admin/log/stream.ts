/** `GET /v1/admin/log/stream`: the log of all nodes as it is written, resumable by the id of a line. */
import { z } from 'zod'
import type { LogTail } from '../../../runtime/log/tail.ts'
import type { Clock } from '../../../runtime/time/clock.ts'
import { seconds } from '../../../runtime/time/duration.ts'
import { every } from '../../../runtime/time/every.ts'
import { admin } from '../../access.ts'
import { eventStream } from '../../answer.ts'
import { writeAtPace } from '../../edge/write-at-pace.ts'
import { ApiError, badRequest } from '../../error.ts'
import { route } from '../../route.ts'
import type { StreamWriter } from '../../server/stream-writer.ts'
import { nodeFilter, nodesOf } from '../nodes/node-filter.ts'
import { cursorText, LogCursor } from './cursor.ts'
import { type LogFilter, logFilter, tailOf } from './lines.ts'
import { joinedPage, type LogOfNodes } from './of-nodes.ts'

const heartbeatMs = seconds(15)
const pieceLines = 200
/** How often other nodes are asked for their lines. */
const othersEveryMs = seconds(1)

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
  query: z.object({
    ...logFilter,
    node: nodeFilter,
    after: z.string().max(8_000).optional().describe('The id of an event, or cursor of GET /v1/admin/log.'),
  }),
  answers: { 200: { contentType: 'text/event-stream', description: 'Lines, as they are written.' } },
  async handle(call) {
    const { app, query } = call
    const tail = tailOf(app)
    nodesOf(app.logOfNodes, query.node)
    const from = placeOf(call.header('last-event-id') || (query.after ?? ''))
    // This reader is counted too, as soon as it is answered.
    if (app.auth.liveCredentials.count(path) >= readersMax) throw tooMany()
    const filter = { level: query.level, search: query.search }
    const nodes = () => app.logOfNodes.living().filter((node) => query.node === 'all' || node === query.node)
    const after = from ?? (await newestPlace(app.logOfNodes, nodes()))
    return eventStream({}, (out) => follow({ log: app.logOfNodes, tail, nodes, filter, out, clock: app.clock }, after))
  },
})

/** Undefined: only new lines. @throws ApiError 400 for an invalid id */
function placeOf(id: string): LogCursor | undefined {
  if (id === '') return undefined
  const cursor = LogCursor.safeParse(id)
  if (!cursor.success) throw badRequest('This is not an id of a line.', 'after')
  return cursor.data
}

/** Behind all lines that there are. */
async function newestPlace(log: LogOfNodes, nodes: readonly number[]): Promise<LogCursor> {
  const page = await joinedPage(log, { nodes, level: 'fatal', search: '', after: undefined, limit: 1 })
  return page.cursor
}

interface Following {
  log: LogOfNodes
  tail: LogTail
  nodes(): readonly number[]
  filter: LogFilter
  out: StreamWriter
  clock: Clock
}

/**
 * Reads what each node keeps as fast as the reader takes it, never faster: what a node has dropped meanwhile is lost to this
 * reader, who is told how much. Nothing is kept for anybody. Lines of this node come at once; others are asked once a second.
 */
async function follow({ log, tail, nodes, filter, out, clock }: Following, after: LogCursor): Promise<void> {
  let at = new Map(after)
  let isBlocked = false
  let othersAtMs = Number.NEGATIVE_INFINITY
  const waits = waiting(tail, out, clock)
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
      const isOthersTurn = clock.elapsed() - othersAtMs >= othersEveryMs
      if (isOthersTurn) othersAtMs = clock.elapsed()
      const asked = nodes().filter((node) => node === log.node || isOthersTurn)
      const page = await joinedPage(log, { ...filter, nodes: asked, after: at, limit: pieceLines })
      if (page.missed > 0) await write(`event: missed\ndata: ${JSON.stringify({ lines: page.missed })}\n\n`)
      for (const line of page.lines) {
        if (out.signal.aborted) break
        at.set(line.node, line.id)
        await write(`id: ${cursorText(at)}\nevent: line\ndata: ${JSON.stringify(line)}\n\n`)
      }
      at = new Map(page.cursor)
      if (page.hasMore) othersAtMs = Number.NEGATIVE_INFINITY
      else await waits.nextLine(at.get(log.node) ?? 0, nodes().length > 1 ? othersEveryMs : undefined)
    }
  } finally {
    void heartbeat.stop()
    waits.close()
  }
}

/** Waiting for lines that ends with the reader; no promise outlives the wait that it was made for. */
function waiting(tail: LogTail, out: StreamWriter, clock: Clock) {
  let lineCame = () => {}
  const subscription = tail.subscribe(() => lineCame())
  const left = () => lineCame()
  out.signal.addEventListener('abort', left, { once: true })
  return {
    /** Of this node behind that one. @param withinMs not longer than this; undefined: however long it takes */
    async nextLine(behind: number, withinMs: number | undefined): Promise<void> {
      const timer = withinMs === undefined ? undefined : clock.after(withinMs, () => lineCame())
      await new Promise<void>((resolve) => {
        lineCame = resolve
        if (out.signal.aborted) resolve()
        else subscription.rearm(behind)
      })
      timer?.cancel()
    },
    close() {
      out.signal.removeEventListener('abort', left)
      subscription.close()
    },
  }
}

const tooMany = (): ApiError => new ApiError('too_many_readers', `${readersMax} readers follow the log already.`)
