/** Many of our actors, live and passivated. */

import { actorDefiner } from '../../runtime/actor/define.ts'
import { exponential } from '../../runtime/time/backoff.ts'
import { crowdFigures } from '../load/crowd.ts'
import { measurement } from '../process/measurement.ts'
import { until } from '../process/until.ts'
import { benchSystem } from './bench-actor.ts'

const sleeperThatLeavesAfter = (idleMs: number) =>
  actorDefiner<null>()({
    kind: 'sleeper',
    key: { parse: (value: unknown): string => String(value) },
    mailbox: { capacity: 256 },
    idle: idleMs,
    supervision: { restarts: 5, withinMs: 60_000, backoff: exponential(50, 5_000) },
    start: () => ({ greeted: 0 }),
    receive: {
      greet(context) {
        context.state.greeted++
        return context.state.greeted
      },
    },
  })

await measurement(({ actors }) => {
  // Long enough that none leaves while the last ones start.
  const idleMs = 1_000 + actors / 10
  const sleeper = sleeperThatLeavesAfter(idleMs)
  const system = benchSystem(null)
  return crowdFigures(
    {
      async meet(key) {
        await system.actor(sleeper, key).ask('greet', {})
      },
      live: () => system.live,
      leave: () => until('every idle actor has left', 4 * idleMs, async () => system.live === 0),
    },
    actors,
  )
})
