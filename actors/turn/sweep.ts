/** Closes turns whose end could not be recorded when they ended (the database was away), so that none looks running for ever. */

import type { Log } from '../../runtime/log/log.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { minutes } from '../../runtime/time/duration.ts'
import type { Database } from '../../store/database.ts'
import { interruptLostTurns } from '../../store/turns/turns.ts'
import type { RunningTurns } from './running.ts'

const everyMs = minutes(1)

/** Younger turns may still be on their way into the database. */
const graceMs = minutes(1)

export interface Sweep {
  stop(): void
}

export function sweepLostTurns(parts: {
  db: Database
  epoch: number
  running: RunningTurns
  clock: Clock
  log: Log
}): Sweep {
  const { db, epoch, running, clock, log } = parts
  let timer = clock.after(everyMs, sweep)
  let isStopped = false

  async function sweep(): Promise<void> {
    try {
      const closed = await interruptLostTurns(db, epoch, running.ids(), new Date(clock.now() - graceMs))
      if (closed > 0) log.warn({ turns: closed }, 'turns whose end was not recorded were closed as interrupted')
    } catch (error) {
      log.debug({ err: error }, 'lost turns could not be looked for; the next sweep tries again')
    }
    if (!isStopped) timer = clock.after(everyMs, sweep)
  }

  return {
    stop() {
      isStopped = true
      timer.cancel()
    },
  }
}
