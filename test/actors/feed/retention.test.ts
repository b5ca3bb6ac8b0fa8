/** What is old is deleted, and what is not stays. */
import postgres from 'postgres'
import { expect, onTestFinished, test } from 'vitest'
import { retention } from '../../../actors/feed/retention.ts'
import { openSettings } from '../../../config/settings.ts'
import type { Database } from '../../../store/database.ts'
import { firstWorkspaceId, newAuditId, newOperatorId, newTurnId, type TurnId, uuidOf } from '../../../store/id.ts'
import type { DatabaseAddress } from '../../../store/postgres/address.ts'
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

test('events go after a week, keys of taken messages after a month, sessions a month behind their end, audit entries never', async () => {
  const db = await withRows()
  await sweep(db, {})
  expect(await remaining(db)).toEqual({ events: 2, keys: 4, entries: 5, steps: 3, sessions: 2 })
})

test('audit entries go after the days that are set, events too', async () => {
  const db = await withRows()
  await sweep(db, { SERVICE_AUDIT_RETENTION_DAYS: '30', SERVICE_EVENT_RETENTION_DAYS: '30' })
  expect(await remaining(db)).toEqual({ events: 4, keys: 4, entries: 4, steps: 3, sessions: 2 })
})

/** As if the first part of the steps had ended so many days ago: the parts since then are made. */
async function firstPartEnds(address: DatabaseAddress, days: number): Promise<void> {
  const sql = postgres({ ...address, max: 1, onnotice: () => {} } as never)
  await sql.unsafe(`
    do $$
    declare bound timestamptz := date_trunc('week', now() - interval '${days} days');
    begin
      for part in 1..100 loop
        declare old text := (select name from partitions where parent = 'turn_steps' and from_at is not null limit 1);
        begin
          exit when old is null;
          execute format('drop table %I', old);
          delete from partitions where name = old;
        end;
      end loop;
      alter table turn_steps detach partition turn_steps_first;
      execute format('alter table turn_steps attach partition turn_steps_first for values from (minvalue) to (%s)',
        service_partition_key('uuid', bound));
      update partitions set to_at = bound where name = 'turn_steps_first';
      perform service_make_partitions(now() + interval '4 weeks');
    end $$`)
  await sql.end()
}

const parts = async (db: Database) =>
  (await db.system<{ name: string }>`select name from partitions where parent = 'turn_steps' order by to_at`).map(
    ({ name }) => name,
  )

async function withParts(): Promise<Database> {
  const fresh = await freshDatabase()
  onTestFinished(() => fresh.drop())
  await firstPartEnds(fresh.address, 120)
  const writer = stepWriter(fresh.db, 1)
  for (const days of [0, 60, 110, 130]) await writer.write(null, step({ turnId: turnOf(days), status: 'failed' }))
  return fresh.db
}

test('parts of steps are there a month ahead, and are dropped whole when all of them is old', async () => {
  const db = await withParts()
  const before = await parts(db)
  expect(before.length).toBeGreaterThan(20)
  await sweep(db, {})
  const after = await parts(db)
  expect(before.filter((name) => !after.includes(name)).length).toBeGreaterThanOrEqual(4)
  expect(after).not.toContain('turn_steps_first')
  expect(await remaining(db)).toMatchObject({ steps: 2 })
})

test('a part with a call of which nobody knows whether it took effect stays, and loses everything else', async () => {
  const db = await withParts()
  await stepWriter(db, 1).write(null, step({ turnId: turnOf(131), status: 'unknown' }))
  await sweep(db, {})
  expect(await parts(db)).toContain('turn_steps_first')
  expect(
    (await db.system<{ status: string }>`select status from turn_steps order by turn_id`).map((row) => row.status),
  ).toEqual(['unknown', 'failed', 'failed'])
})

test('where the steps take more than they may, the oldest parts go before their time, and none that is still written to', async () => {
  const db = await withParts()
  await sweep(db, { SERVICE_STEP_RETENTION_DAYS: '3650', SERVICE_STEP_SIZE_MAX_MB: '0' })
  expect(await remaining(db)).toMatchObject({ steps: 4 })
  // Each part takes some pages even without a row, so that all that may go is over one megabyte only with rows in it.
  await db.system`
    insert into turn_steps (turn_id, path, n, workspace_id, kind, status, name, digest, started_at)
    select turn_id, 'x', many.n, workspace_id, kind, 'failed', repeat(md5(many.n::text), 20), digest, started_at
    from turn_steps, generate_series(1, 2000) as many (n)`
  await sweep(db, { SERVICE_STEP_RETENTION_DAYS: '3650', SERVICE_STEP_SIZE_MAX_MB: '1' })
  const [left] = await db.system<{ days: number }>`select count(distinct turn_id)::int as days from turn_steps`
  expect(left?.days).toBe(1)
})
