/** What many actors cost: memory before, with all of them live, and after they have left. */
import { collectGarbage } from '../process/measurement.ts'
import type { Figures } from '../row.ts'

export interface Crowd {
  /** Starts the actor of this key and gets one message handled. */
  meet(key: string): Promise<void> | void
  /** Actors in memory. */
  live(): number
  /** Resolves when all have left; absent: they cannot. */
  leave?(): Promise<void>
}

/** Actors started at a time: one turn of the loop between, as connections would come. */
const group = 500

export async function crowdFigures(crowd: Crowd, actors: number): Promise<Figures> {
  collectGarbage()
  const before = process.memoryUsage()
  for (let first = 0; first < actors; first += group) {
    const keys = Array.from({ length: Math.min(group, actors - first) }, (_, index) => `actor-${first + index}`)
    await Promise.all(keys.map((key) => crowd.meet(key)))
  }
  if (crowd.live() !== actors) throw new Error(`${actors} actors were started, ${crowd.live()} live`)
  collectGarbage()
  const live = process.memoryUsage()
  const figures: Figures = {
    liveBytes: (live.heapUsed - before.heapUsed) / actors,
    liveResidentBytes: (live.rss - before.rss) / actors,
  }
  if (!crowd.leave) return figures
  await crowd.leave()
  if (crowd.live() !== 0) throw new Error(`${crowd.live()} actors did not leave`)
  collectGarbage()
  figures['passivatedBytes'] = Math.max(0, process.memoryUsage().heapUsed - before.heapUsed) / actors
  return figures
}
