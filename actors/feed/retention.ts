/** Deletes what has become old: whole parts of partitioned tables, and of the others a few rows at a time. */
import type { Settings } from '../../config/settings.ts'
import type { Log } from '../../runtime/log/log.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { minutes } from '../../runtime/time/duration.ts'
import { deleteAlerts } from '../../store/alerts/alerts.ts'
import { deleteAuditEntries } from '../../store/audit/audit.ts'
import type { Database } from '../../store/database.ts'
import { deleteAttempts } from '../../store/deliveries/attempts.ts'
import { deleteEvents, deleteInboundKeys } from '../../store/events/events.ts'
import type { HeldKey } from '../../store/nodes/slots.ts'
import { deleteEndedSessions } from '../../store/operators/sessions.ts'
import { deleteOldResponses } from '../../store/responses.ts'
import { deleteNotices } from '../../store/subscriptions/outbox.ts'
import { deleteSteps } from '../../store/turns/steps.ts'
import { deleteCalls } from '../../store/turns/turns.ts'
import type { MaintenanceTask } from '../maintenance/task.ts'
import { type PartitionRule, sweepPartitions } from './partitions.ts'

const intervalMs = minutes(1)
/** Parts are of weeks: there is no hurry. */
const sweepMs = minutes(10)
const dayMs = 86_400_000

/** Rows of one statement; where it finds so many the next one follows at once. */
const rowsMax = 5_000
const roundsMax = 200

/** With each response may go a conversation of many messages. */
const responsesMax = 100

/** A message that is repeated later than this is a new one. */
const inboundDays = 30

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
    const turnDays = settings.get('SERVICE_TURN_RETENTION_DAYS')
    const deleteTurns = () => deleteCalls(db, held, daysAgo(turnDays), rowsMax)
    const turns = turnDays > 0 ? await inRounds(signal, deleteTurns) : 0
    const noticeDays = settings.get('SERVICE_SUBSCRIPTION_RETENTION_DAYS')
    const notices = await inRounds(signal, () => deleteNotices(db, held, daysAgo(noticeDays), rowsMax))
    const alertDays = settings.get('SERVICE_ALERT_RETENTION_DAYS')
    const alerts = await inRounds(signal, () => deleteAlerts(db, held, daysAgo(alertDays), rowsMax))
    const attemptDays = settings.get('SERVICE_ATTEMPT_RETENTION_DAYS')
    const attempts = await inRounds(signal, () => deleteAttempts(db, held, daysAgo(attemptDays), rowsMax))
    const steps = await sweepParts(signal, held)
    const sessions = await inRounds(signal, () => deleteEndedSessions(db, daysAgo(sessionDays), rowsMax))
    const auditDays = settings.get('SERVICE_AUDIT_RETENTION_DAYS')
    const deleteEntries = () => deleteAuditEntries(db, daysAgo(auditDays), rowsMax)
    const entries = auditDays > 0 ? await inRounds(signal, deleteEntries) : 0
    const deleted = { events, keys, responses, turns, notices, alerts, attempts, steps, sessions, entries }
    if (Object.values(deleted).some((count) => count > 0)) log.debug(deleted, 'old rows were deleted')
  }

  let nextSweepMs = 0

  /** Whole parts, now and then. @returns steps that were deleted one by one, from a part that cannot go as a whole */
  async function sweepParts(signal: AbortSignal, held: HeldKey): Promise<number> {
    if (clock.elapsed() < nextSweepMs) return 0
    nextSweepMs = clock.elapsed() + sweepMs
    const rules: PartitionRule[] = [
      {
        table: 'turn_steps',
        before: daysAgo(settings.get('SERVICE_STEP_RETENTION_DAYS')),
        bytesMax: settings.get('SERVICE_STEP_SIZE_MAX_MB') * 1_000_000,
      },
      { table: 'usage_entries', before: daysAgo(settings.get('SERVICE_USAGE_RETENTION_DAYS')), bytesMax: 0 },
    ]
    const { keptUntil } = await sweepPartitions(db, log, { rules, now: new Date(clock.now()) })
    const until = keptUntil.get('turn_steps')
    return until ? await inRounds(signal, () => deleteSteps(db, held, until, rowsMax)) : 0
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
