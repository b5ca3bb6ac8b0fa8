/** The actor of the actor rows, as an application writes one. */

import { actorDefiner } from '../../runtime/actor/define.ts'
import { createSystem, type System } from '../../runtime/actor/system.ts'
import { createLog } from '../../runtime/log/log.ts'
import { exponential } from '../../runtime/time/backoff.ts'
import type { Tally } from '../load/tells.ts'

export interface BenchServices {
  tally: Tally
}

const defineActor = actorDefiner<BenchServices>()

export const counter = defineActor({
  kind: 'counter',
  key: { parse: (value: unknown): string => String(value) },
  mailbox: { capacity: 4_096 },
  supervision: { restarts: 5, withinMs: 60_000, backoff: exponential(50, 5_000) },
  start: () => ({ handled: 0 }),
  receive: {
    add(context, message: { amount: number }) {
      context.services.tally.hit(message.amount)
    },
    next(_context, message: { amount: number }) {
      return message.amount + 1
    },
  },
})

export function benchSystem<Services>(services: Services): System {
  return createSystem({ services, log: createLog({ level: 'error' }) })
}
