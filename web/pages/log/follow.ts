/** Lines from the service: first those that it keeps, then new ones, as a stream or every few seconds; gone on with after each loss. */
import { ApiFailure, call, urlOf } from '../../api/call.ts'
import { growingWaits } from '../../api/reconnect-delays.ts'
import type { Answer } from '../../api/types.ts'
import { type Entry, type LogLine, lineEntry } from './entries.ts'

export interface Asked {
  level: 'trace' | 'debug' | 'info' | 'warn' | 'error'
  search: string
  /** 0: as they are written. */
  everyS: number
}

interface Told {
  lines(entries: Entry[]): void
  /** Everything that was kept has been told. */
  caughtUp(): void
  /** Undefined: all is well again. */
  broken(error: unknown): void
}

/** Where the next look goes on. */
export interface Place {
  process: string
  id: number
}

const pageLines = 1_000
/** In one look: what the service keeps, and as much again that was written meanwhile. */
const pagesMax = 20
const retryMs = { least: 1_000, most: 15_000 }
/** Lines come one by one; the page is drawn for many at once. */
const gatherMs = 80

export interface Following {
  /** Of the last line that was told. */
  place(): Place | undefined
  stop(): void
}

export function follow({ level, search, everyS }: Asked, from: Place | undefined, tell: Told): Following {
  const stopped = new AbortController()
  const { signal } = stopped
  let place = from
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const waits = growingWaits(retryMs)
  let gathered: Entry[] = []
  let gathering: ReturnType<typeof setTimeout> | undefined

  function hand(): void {
    clearTimeout(gathering)
    gathering = undefined
    const entries = gathered
    gathered = []
    if (entries.length > 0) tell.lines(entries)
  }
  function gather(entry: Entry): void {
    gathered.push(entry)
    gathering ??= setTimeout(hand, gatherMs)
  }

  /** @returns false: there is more, or another process answers each time; the next look comes after a wait */
  async function catchUp(): Promise<boolean> {
    let isAnotherProcess = false
    for (let pages = 0; pages < pagesMax; pages++) {
      const page = await call('GET /v1/admin/log', {
        query: { level, search, after: place?.id ?? 0, limit: pageLines },
        signal,
      })
      const isOther = place !== undefined && page.process !== place.process
      if (isOther) {
        if (isAnotherProcess) return false
        isAnotherProcess = true
        gather({ is: 'restarted', key: `${page.process}-start-${Date.now()}` })
        place = { process: page.process, id: 0 }
        continue
      }
      // From nowhere, lines that are kept no more are no loss.
      const lost: Entry[] =
        place && place.id > 0 && page.missed > 0
          ? [{ is: 'missed', key: `${page.process}-${place.id}-missed`, lines: page.missed }]
          : []
      const isFurther = page.newest_id > (place?.id ?? -1)
      place = { process: page.process, id: page.newest_id }
      for (const entry of [...lost, ...entriesOf(page)]) gather(entry)
      hand()
      if (!page.has_more) return true
      if (!isFurther) return false
    }
    return false
  }

  async function look(): Promise<void> {
    try {
      const isCaughtUp = await catchUp()
      if (signal.aborted) return
      tell.broken(undefined)
      tell.caughtUp()
      if (!isCaughtUp) again()
      else if (everyS === 0) stream()
      else {
        waits.holds()
        timer = setTimeout(() => void look(), everyS * 1_000)
      }
    } catch (error) {
      if (signal.aborted) return
      tell.broken(error)
      // What the service refuses it refuses again.
      if (isFinal(error)) return
      again()
    }
  }

  function again(): void {
    timer = setTimeout(() => void look(), waits.next())
  }

  function stream(): void {
    const { process, id } = place ?? { process: '', id: 0 }
    const query = { level, search, after: `${process}-${id}` }
    const opened = new EventSource(urlOf('/v1/admin/log/stream', { query }), { withCredentials: true })
    source = opened
    opened.addEventListener('open', () => waits.holds())
    opened.addEventListener('line', ({ data }: MessageEvent<string>) => {
      const line = JSON.parse(data) as LogLine
      place = { process, id: line.id }
      gather(lineEntry(process, line))
    })
    opened.addEventListener('missed', ({ data }: MessageEvent<string>) => {
      const { lines } = JSON.parse(data) as { lines: number }
      gather({ is: 'missed', key: `${process}-${place?.id}-missed`, lines })
    })
    opened.addEventListener('error', () => {
      // The next look says why and goes on where this one was; where no stream is to be had, looks alone bring the lines.
      opened.close()
      again()
    })
  }

  void look()
  return {
    place: () => place,
    stop() {
      hand()
      stopped.abort()
      clearTimeout(timer)
      source?.close()
    },
  }
}

/** Trying again would not help. */
export const isFinal = (error: unknown): boolean =>
  error instanceof ApiFailure &&
  (error.code === 'log_not_kept' || (error.status >= 400 && error.status < 500 && error.status !== 429))

const entriesOf = ({ process, items }: Answer<'GET /v1/admin/log'>): Entry[] =>
  items.map((line) => lineEntry(process, line))
