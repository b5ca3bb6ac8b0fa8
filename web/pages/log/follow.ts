/** Log lines from the service: first the stored ones, then new ones, streamed or polled; resumed after each lost connection. */
import { ApiFailure, call, urlOf } from '../../api/call.ts'
import { reconnectDelays } from '../../api/reconnect-delays.ts'
import { type Entry, type LogLine, lineEntry } from './entries.ts'

export interface LogQuery {
  level: 'trace' | 'debug' | 'info' | 'warn' | 'error'
  search: string
  /** 0: as they are written. */
  everyS: number
}

interface LogListener {
  lines(entries: Entry[]): void
  /** All stored lines have been reported. */
  caughtUp(): void
  /** Undefined: the connection works again. */
  broken(error: unknown): void
}

/** The position from which the next request continues: a cursor of the service. */
export type Place = string

/** Nobody has written a line there: everything that is stored follows. */
const beginning: Place = '0-0'

const pageLines = 1_000
/** Of one catch-up: all stored lines, and as many new ones. */
const pagesMax = 20
const retryMs = { least: 1_000, most: 15_000 }
/** Lines arrive one by one; the page renders many at once. */
const gatherMs = 80

export interface Following {
  /** Of the last reported line. */
  place(): Place | undefined
  stop(): void
}

export function follow({ level, search, everyS }: LogQuery, from: Place | undefined, listener: LogListener): Following {
  const stopped = new AbortController()
  const { signal } = stopped
  let place = from
  /** Whose lines were reported; those of another one are of a node that has started. */
  const nodes = new Set<number>(nodesIn(from))
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const delays = reconnectDelays(retryMs)
  let buffer: Entry[] = []
  let flushTimer: ReturnType<typeof setTimeout> | undefined

  function flush(): void {
    clearTimeout(flushTimer)
    flushTimer = undefined
    const entries = buffer
    buffer = []
    if (entries.length > 0) listener.lines(entries)
  }
  function gather(entry: Entry): void {
    buffer.push(entry)
    flushTimer ??= setTimeout(flush, gatherMs)
  }
  function gatherLine(line: LogLine): void {
    // Numbers grow with each start: a lower one was silent, and has not started just now.
    if (place !== undefined && line.node > Math.max(0, ...nodes))
      gather({ is: 'started', key: `${line.node}-start`, node: line.node, time: line.time })
    nodes.add(line.node)
    gather(lineEntry(line))
  }

  /** @returns false: there are more lines; poll again after a delay */
  async function catchUp(): Promise<boolean> {
    for (let pages = 0; pages < pagesMax; pages++) {
      const page = await call('GET /v1/admin/log', {
        query: { level, search, after: place ?? beginning, limit: pageLines },
        signal,
      })
      // At the start, lines that are no longer stored are not missing.
      if (place !== undefined && page.missed > 0) gather({ is: 'missed', key: `${place}-missed`, lines: page.missed })
      for (const line of page.items) gatherLine(line)
      place = page.cursor
      // A node whose lines are on a later page, or do not fit, has not started just now.
      for (const node of nodesIn(place)) nodes.add(node)
      flush()
      if (!page.has_more) return true
    }
    return false
  }

  async function poll(): Promise<void> {
    try {
      const isCaughtUp = await catchUp()
      if (signal.aborted) return
      listener.broken(undefined)
      listener.caughtUp()
      if (!isCaughtUp) pollLater()
      else if (everyS === 0) stream()
      else {
        delays.connected()
        timer = setTimeout(() => void poll(), everyS * 1_000)
      }
    } catch (error) {
      if (signal.aborted) return
      listener.broken(error)
      // A refusal would be repeated.
      if (isFinal(error)) return
      pollLater()
    }
  }

  function pollLater(): void {
    timer = setTimeout(() => void poll(), delays.next())
  }

  function stream(): void {
    const query = { level, search, after: place ?? beginning }
    const eventSource = new EventSource(urlOf('/v1/admin/log/stream', { query }), { withCredentials: true })
    source = eventSource
    eventSource.addEventListener('open', () => delays.connected())
    eventSource.addEventListener('line', ({ data, lastEventId }: MessageEvent<string>) => {
      place = lastEventId
      gatherLine(JSON.parse(data) as LogLine)
    })
    eventSource.addEventListener('missed', ({ data }: MessageEvent<string>) => {
      const { lines } = JSON.parse(data) as { lines: number }
      gather({ is: 'missed', key: `${place}-missed`, lines })
    })
    eventSource.addEventListener('error', () => {
      // The next poll reports the reason and resumes here; without streaming, polling alone brings the lines.
      eventSource.close()
      pollLater()
    })
  }

  void poll()
  return {
    place: () => place,
    stop() {
      flush()
      stopped.abort()
      clearTimeout(timer)
      source?.close()
    },
  }
}

const nodesIn = (place: Place | undefined): number[] => place?.split('.').map((of) => Number.parseInt(of, 10)) ?? []

/** A retry would not help. */
export const isFinal = (error: unknown): boolean =>
  error instanceof ApiFailure &&
  (error.code === 'log_not_kept' || (error.status >= 400 && error.status < 500 && error.status !== 429))
