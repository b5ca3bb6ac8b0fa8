/** Closes turns whose end could not be recorded when they ended (the database was away), so that none looks running for ever. */

import type { Log } from '../../runtime/log/log.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { minutes, seconds } from '../../runtime/time/duration.ts'
import type { Database } from '../../store/database.ts'
import { interruptLostTurns } from '../../store/turns/turns.ts'
import type { MaintenanceTask } from '../maintenance/task.ts'
import type { RunningTurns } from './running.ts'

/** Younger turns may still be on their way into the database. */
const graceMs = minutes(1)

export function lostTurns(dependencies: {
  db: Database
  node: number
  running: RunningTurns
  clock: Clock
  log: Log
}): MaintenanceTask {
  const { db, node, running, clock, log } = dependencies
  return {
    name: 'lost-turns',
    intervalMs: seconds(5),
    async run() {
      const lost = running.takeLost()
      const span = { running: running.ids(), startedBefore: new Date(clock.now() - graceMs), lost }
      const closed = await interruptLostTurns(db, node, span).catch((error: unknown) => {
        for (const turn of lost) running.lose(turn)
        throw error
      })
      if (closed > 0) log.warn({ turns: closed }, 'turns whose end was not recorded were closed as interrupted')
    },
  }
}
