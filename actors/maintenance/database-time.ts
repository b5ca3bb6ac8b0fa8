/**
 * The database's clock is that of all nodes: what a node dates or waits for by its own wall clock would be early or late elsewhere.
 * Each measures how far its own is off, now and again, and goes by the difference.
 */
import type { Log } from '../../runtime/log/log.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { seconds } from '../../runtime/time/duration.ts'
import type { OffsetClock } from '../../runtime/time/offset-clock.ts'
import type { Database } from '../../store/database.ts'
import { databaseTimeMs } from '../../store/database-time.ts'
import type { MaintenanceTask } from './task.ts'

/** Less is within what clocks that are kept right differ by, and is left alone. */
const offMsMin = seconds(1)

/** An answer that took longer says too little. */
const answerMsMax = seconds(1)

interface Parts {
  db: Database
  /** The machine's. */
  own: Clock
  clock: OffsetClock
  log: Log
}

export async function followDatabaseTime({ db, own, clock, log }: Parts): Promise<void> {
  const beganMs = own.elapsed()
  const databaseMs = await databaseTimeMs(db)
  const tookMs = own.elapsed() - beganMs
  if (tookMs > answerMsMax) return
  const offMs = Math.round(databaseMs + tookMs / 2 - own.now())
  const isOff = Math.abs(offMs) >= offMsMin
  const wasMs = clock.now() - own.now()
  if (isOff && Math.abs(offMs - wasMs) >= offMsMin)
    log.warn(
      { offMs },
      'the clock of this machine is not that of the database, whose time is used; set one of them right',
    )
  clock.setOffset(isOff ? offMs : 0)
}

export function databaseTime(parts: Parts): MaintenanceTask {
  return { name: 'database-time', intervalMs: seconds(20), run: () => followDatabaseTime(parts) }
}
