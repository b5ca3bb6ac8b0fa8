/** Responses whose events can be read again from any place: those that run, and those that ended lately. */
import { LRUCache } from 'lru-cache'
import type { ResponseId } from '../../store/id.ts'
import type { LiveResponse } from './live-response.ts'

/** Of those that have ended. */
const charactersMax = 33_554_432
const endedMs = 600_000
/** Besides its events. */
const overhead = 2_048

export interface LiveResponses {
  get(id: ResponseId): LiveResponse | undefined
  /** It runs: as many as turns may run. */
  begin(id: ResponseId, live: LiveResponse): void
  ended(id: ResponseId): void
  forget(id: ResponseId): void
}

export function liveResponses(): LiveResponses {
  const running = new Map<ResponseId, LiveResponse>()
  const ended = new LRUCache<ResponseId, LiveResponse>({
    maxSize: charactersMax,
    ttl: endedMs,
    sizeCalculation: (live) => live.characters + overhead,
  })
  return {
    get: (id) => running.get(id) ?? ended.get(id),
    begin: (id, live) => void running.set(id, live),
    ended(id) {
      const live = running.get(id)
      running.delete(id)
      if (live) ended.set(id, live)
    },
    forget: (id) => void ended.delete(id),
  }
}
