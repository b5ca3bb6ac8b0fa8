/** Deletes events, keys of taken messages, responses, steps of turns, ended sessions and audit entries that have become old, a few at a time. */
import type { Settings } from '../../config/settings.ts'
import type { Log } from '../../runtime/log/log.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { minutes } from '../../runtime/time/duration.ts'
import { deleteAuditEntries } from '../../store/audit/audit.ts'
import type { Database } from '../../store/database.ts'
import { deleteEvents, deleteInboundKeys } from '../../store/events/events.ts'
import type { HeldKey } from '../../store/nodes/slots.ts'
import { deleteEndedSessions } from '../../store/operators/sessions.ts'
import { deleteOldResponses } from '../../store/responses.ts'
import { deleteSteps } from '../../store/turns/steps.ts'
import type { MaintenanceTask } from '../maintenance/task.ts'

const intervalMs = minutes(1)
const dayMs = 86_400_000

/** Rows of one statement; where it finds so many the next one follows at once. */
const rowsMax = 5_000
const roundsMax = 200

/** With each response may go a conversation of many messages. */
const responsesMax = 100

/** A message that is repeated later than this is a new one. */
const inboundDays = 30

/** Steps of turns can be read for as long; the messages stay in their conversations. */
const stepDays = 90

/** After the end of a session. The audit log keeps that there was one. */
const sessionDays = 30

export function retention(dependencies: { db: Database; settings: Settings; clock: Clock; log: Log }): MaintenanceTask {
  const { db, settings, clock, log } = dependencies
  const daysAgo = (days: number) => new Date(clock.now() - days * dayMs)

  async function run(signal: AbortSignal, held: HeldKey): Promise<void> {
    const eventDays = settings.get('SERVICE_EVENT_RETENTION_DAYS')
    const events = await inRounds(signal, () => deleteEvents(db, held, daysAgo(eventDays), rowsMax))
    const keys = await inRounds(signal, () => deleteInboundKeys(db, held, daysAgo(inboundDays), rowsMax))
    const responseDays = settings.get('SERVICE_RESPONSE_RETENTION_DAYS')
    const deleteResponses = () => deleteOldResponses(db, held, daysAgo(responseDays), responsesMax)
    const responses = await inRounds(signal, deleteResponses, responsesMax)
    const steps = await inRounds(signal, () => deleteSteps(db, held, daysAgo(stepDays), rowsMax))
    const sessions = await inRounds(signal, () => deleteEndedSessions(db, daysAgo(sessionDays), rowsMax))
    const auditDays = settings.get('SERVICE_AUDIT_RETENTION_DAYS')
    const deleteEntries = () => deleteAuditEntries(db, daysAgo(auditDays), rowsMax)
    const entries = auditDays > 0 ? await inRounds(signal, deleteEntries) : 0
    const deleted = { events, keys, responses, steps, sessions, entries }
    if (Object.values(deleted).some((count) => count > 0)) log.debug(deleted, 'old rows were deleted')
  }

  return { name: 'retention', isForAll: true, intervalMs, run }
}

/** @returns rows of all rounds */
async function inRounds(signal: AbortSignal, deleteSome: () => Promise<number>, fullRound = rowsMax): Promise<number> {
  let sum = 0
  for (let round = 0; round < roundsMax && !signal.aborted; round++) {
    const rows = await deleteSome()
    sum += rows
    if (rows < fullRound) break
  }
  return sum
}
