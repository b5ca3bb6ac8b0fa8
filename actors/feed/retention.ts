/** Deletes events, keys of taken messages, steps of turns, ended sessions and audit entries that have become old, a few at a time. */
import type { Settings } from '../../config/settings.ts'
import type { Log } from '../../runtime/log/log.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { minutes } from '../../runtime/time/duration.ts'
import { deleteAuditEntries } from '../../store/audit/audit.ts'
import type { Database } from '../../store/database.ts'
import { deleteEvents, deleteInboundKeys } from '../../store/events/events.ts'
import { deleteEndedSessions } from '../../store/operators/sessions.ts'
import { deleteSteps } from '../../store/turns/steps.ts'

const everyMs = minutes(1)
const dayMs = 86_400_000

/** Rows of one statement; while a sweep finds so many it goes on at once. */
const rowsMax = 5_000
const roundsMax = 200

/** A sender that repeats a message after this long posts a new one. */
const inboundDays = 30

/** What turns did can be looked up for as long; what they said stays in their conversations. */
const stepDays = 90

/** Behind the end of a session. That there was one stays in the audit log. */
const sessionDays = 30

export interface Retention {
  stop(): void
}

export function sweepOldRows(parts: { db: Database; settings: Settings; clock: Clock; log: Log }): Retention {
  const { db, settings, clock, log } = parts
  let timer = clock.after(everyMs, sweep)
  let isStopped = false

  async function sweep(): Promise<void> {
    try {
      const events = await inRounds(() =>
        deleteEvents(db, daysAgo(settings.get('SERVICE_EVENT_RETENTION_DAYS')), rowsMax),
      )
      const keys = await inRounds(() => deleteInboundKeys(db, daysAgo(inboundDays), rowsMax))
      const steps = await inRounds(() => deleteSteps(db, daysAgo(stepDays), rowsMax))
      const sessions = await inRounds(() => deleteEndedSessions(db, daysAgo(sessionDays), rowsMax))
      const auditDays = settings.get('SERVICE_AUDIT_RETENTION_DAYS')
      const entries = auditDays > 0 ? await inRounds(() => deleteAuditEntries(db, daysAgo(auditDays), rowsMax)) : 0
      const all = { events, keys, steps, sessions, entries }
      if (Object.values(all).some((count) => count > 0)) log.debug(all, 'old rows were deleted')
    } catch (error) {
      log.debug({ err: error }, 'old rows could not be deleted; the next sweep tries again')
    }
    if (!isStopped) timer = clock.after(everyMs, sweep)
  }

  async function inRounds(work: () => Promise<number>): Promise<number> {
    let sum = 0
    for (let round = 0; round < roundsMax && !isStopped; round++) {
      const rows = await work()
      sum += rows
      if (rows < rowsMax) break
    }
    return sum
  }

  const daysAgo = (days: number) => new Date(clock.now() - days * dayMs)

  return {
    stop() {
      isStopped = true
      timer.cancel()
    },
  }
}
