/** What is old is deleted, and what is not stays. */
import { expect, onTestFinished, test } from 'vitest'
import { retention } from '../../../actors/feed/retention.ts'
import { openSettings } from '../../../config/settings.ts'
import type { Database } from '../../../store/database.ts'
import { firstWorkspaceId, newAuditId, newOperatorId, newTurnId, type TurnId, uuidOf } from '../../../store/id.ts'
import { stepWriter } from '../../../store/turns/steps.ts'
import { step } from '../../store/support/steps.ts'
import { freshDatabase } from '../../support/database.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { heldNow, ownSlots } from '../../support/slots.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

const workspace = uuidOf(firstWorkspaceId)

async function withRows(): Promise<Database> {
  const fresh = await freshDatabase()
  onTestFinished(() => fresh.drop())
  const { db } = fresh
  // The oldest first, as they happen: of the audit log only what stands before everything younger goes.
  for (const days of [31, 29, 8, 6, 0]) {
    await db.system`
      insert into events (workspace_id, kind, at) values (${workspace}, ${`test.${days}`}, now() - make_interval(days => ${days}))`
    await db.system`
      insert into inbound (key, digest, message_id, at)
      values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), now() - make_interval(days => ${days}))`
    await db.system`
      insert into audit_log (id, workspace_id, actor, action, ip, request_id, at)
      values (${uuidOf(newAuditId())}, ${workspace}, 'a', ${`test.${days}`}, '::1', 'r', now() - make_interval(days => ${days}))`
  }
  const operator = uuidOf(newOperatorId())
  await db.system`insert into operators (id, login, created_by) values (${operator}, 'ada', 'test')`
  for (const days of [0, 29, 31])
    await db.system`
      insert into operator_sessions (id, hash, operator_id, workspace_id, expires_at, proofs, ip, user_agent)
      values (gen_random_uuid(), sha256(${`${days}`}::text::bytea), ${operator}, ${workspace},
        now() - make_interval(days => ${days}), '{}', '::1', '')`
  for (const days of [0, 89, 91]) await stepWriter(db, 1).write(null, step({ turnId: turnOf(days), status: 'failed' }))
  return db
}

/** The id of a turn that began so long ago. */
function turnOf(days: number): TurnId {
  const made = (Date.now() - days * 86_400_000).toString(16).padStart(12, '0')
  return `turn_${made}${newTurnId().slice('turn_'.length + 12)}` as TurnId
}

async function remaining(db: Database): Promise<Record<string, number>> {
  const [row] = await db.system<Record<string, number>>`
    select (select count(*)::int from events) as events, (select count(*)::int from inbound) as keys,
      (select count(*)::int from audit_log) as entries, (select count(*)::int from turn_steps) as steps,
      (select count(*)::int from operator_sessions) as sessions`
  return row ?? {}
}

async function sweep(db: Database, environment: Record<string, string>): Promise<void> {
  const clock = virtualClock(Date.now())
  const settings = openSettings({ environment, stored: new Map() })
  await ownSlots(db)
  const held = await heldNow(db, 'retention')
  await retention({ db, settings, clock, log: recordingLog().log }).run(new AbortController().signal, held)
}

test('events go after a week, keys of taken messages after a month, steps of turns after three, sessions a month behind their end, audit entries never', async () => {
  const db = await withRows()
  await sweep(db, {})
  expect(await remaining(db)).toEqual({ events: 2, keys: 4, entries: 5, steps: 2, sessions: 2 })
})

test('audit entries go after the days that are set, events too', async () => {
  const db = await withRows()
  await sweep(db, { SERVICE_AUDIT_RETENTION_DAYS: '30', SERVICE_EVENT_RETENTION_DAYS: '30' })
  expect(await remaining(db)).toEqual({ events: 4, keys: 4, entries: 4, steps: 2, sessions: 2 })
})
