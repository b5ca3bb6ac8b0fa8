/** The audit log as a chain: what is written into it stays as it was, or it shows. */
import { hash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { deleteAuditEntries, listAudit, writeAudit } from '../../store/audit/audit.ts'
import { type AuditProblemKind, auditText, verifyAudit } from '../../store/audit/chain.ts'
import { firstWorkspaceId, newAuditId, newWorkspaceId, uuidOf } from '../../store/id.ts'
import { openPool } from '../../store/postgres/pool.ts'
import { ensureWorkspace } from '../../store/workspaces.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { ancient, auditActor, audited, tamperer } from './support/audit.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

// An empty log is as good as a new database, and costs a hundredth of one.
beforeEach(() =>
  tamperer(fresh.address)(`truncate audit_log, audit_heads, audit_checkpoints;
    create unique index if not exists audit_log_by_seq on audit_log (workspace_id, seq)`),
)

const workspace = uuidOf(firstWorkspaceId)
const dayMs = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs)

test('entries of many writers at once form one chain with each entry once', async () => {
  const { db } = fresh
  await Promise.all(Array.from({ length: 60 }, (_, n) => audited(db, { target: `t${n}` })))
  expect(await verifyAudit(db, firstWorkspaceId)).toMatchObject({
    problem: null,
    rows: 60,
    headSeq: 60,
    isComplete: true,
  })
  const entries = await listAudit(db, firstWorkspaceId, { before: null, limit: 100 })
  expect(entries.map(({ seq }) => seq).sort((one, other) => one - other)).toEqual(
    Array.from({ length: 60 }, (_, n) => n + 1),
  )
})

test('the hash of an exported entry can be computed with any JSON library, whatever characters it has', async () => {
  const { db } = fresh
  const odd = 'q"\\\b\f\n\r\t\u0001\u007f\u2028é😀\ud800</script>'
  await audited(db, { target: odd, summary: { before: { z: 1, a: [odd, null, 1.5] }, after: null } })
  const [entry] = await listAudit(db, firstWorkspaceId, { before: null, limit: 1 })
  if (!entry) throw new Error('no entry')
  const text = auditText([
    ...[entry.prevHash, String(entry.seq), dashed(uuidOf(entry.id)), dashed(workspace), entry.at],
    ...[entry.actor, entry.action, entry.target, entry.beforeDigest, entry.afterDigest, entry.ip, entry.requestId],
    entry.detailText,
  ])
  expect(hash('sha256', text, 'hex')).toBe(entry.hash)
  expect(await verifyAudit(db, firstWorkspaceId)).toMatchObject({ problem: null, rows: 1 })
})

const dashed = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

test('a transaction that is rolled back leaves no gap, and workspaces have chains of their own', async () => {
  const { db } = fresh
  const other = newWorkspaceId()
  await ensureWorkspace(db, other, 'other')
  await audited(db)
  const failed = db.transaction(firstWorkspaceId, async (query) => {
    await writeAudit(query, { actor: auditActor(), action: 'test.lost', target: null })
    throw new Error('changed my mind')
  })
  await expect(failed).rejects.toThrow('changed my mind')
  await audited(db, { actor: auditActor(other) })
  await audited(db)
  expect(await verifyAudit(db, firstWorkspaceId)).toMatchObject({ problem: null, rows: 2, headSeq: 2 })
  expect(await verifyAudit(db, other)).toMatchObject({ problem: null, rows: 1, headSeq: 1 })
})

test('the roles of the application can neither change nor remove entries, nor choose their place', async () => {
  const { db } = fresh
  await audited(db)
  const refused = { code: '42501' }
  for (const query of [db.system, db.forWorkspace(firstWorkspaceId)]) {
    await expect(query`update audit_log set actor = 'nobody'`).rejects.toMatchObject(refused)
    await expect(query`delete from audit_log`).rejects.toMatchObject(refused)
    await expect(query`truncate audit_log`).rejects.toMatchObject(refused)
    await expect(query`update audit_heads set seq = 0`).rejects.toMatchObject(refused)
    await expect(query`delete from audit_checkpoints`).rejects.toMatchObject(refused)
    await expect(query`alter table audit_log disable trigger user`).rejects.toMatchObject(refused)
  }
  await expect(db.forWorkspace(firstWorkspaceId)`select service_audit_prune(now(), 1)`).rejects.toMatchObject(refused)
  await db.system`
    insert into audit_log (id, workspace_id, actor, action, ip, request_id, seq, prev_hash, hash)
    values (${uuidOf(newAuditId())}, ${workspace}, 'a', 'b', '', '', 900, '\\x00', '\\x00')`
  expect(await verifyAudit(db, firstWorkspaceId)).toMatchObject({ problem: null, rows: 2, headSeq: 2 })
})

const tampered: [string, string, AuditProblemKind, number][] = [
  ['a changed actor', `update audit_log set actor = 'nobody' where seq = 3`, 'changed_row', 3],
  ['a changed time', `update audit_log set at = at + interval '1 microsecond' where seq = 3`, 'changed_row', 3],
  [
    'a text moved to the next column',
    `update audit_log set ip = '', request_id = ip || request_id where seq = 3`,
    'changed_row',
    3,
  ],
  ['a changed detail', `update audit_log set detail = '{"after": {"role": "user"}}' where seq = 3`, 'changed_row', 3],
  [
    'a changed entry with its hash made anew',
    `update audit_log set actor = 'nobody' where seq = 3;
     update audit_log a set hash = sha256(convert_to(service_audit_text(a), 'UTF8')) where seq = 3`,
    'inserted_row',
    4,
  ],
  ['a removed entry', 'delete from audit_log where seq = 3', 'removed_rows', 3],
  [
    'a removed entry, those behind it renumbered',
    'delete from audit_log where seq = 3; update audit_log set seq = seq - 1 where seq > 3',
    'changed_row',
    3,
  ],
  ['removed oldest entries', 'delete from audit_log where seq < 3', 'removed_prefix', 1],
  ['removed newest entries', 'delete from audit_log where seq > 4', 'removed_newest', 5],
  ['all entries removed', 'delete from audit_log', 'removed_newest', 1],
  [
    'an entry behind the head',
    'update audit_heads set seq = 5, hash = (select hash from audit_log where seq = 5)',
    'inserted_row',
    6,
  ],
  [
    'an entry put in',
    `drop index audit_log_by_seq;
     insert into audit_log (id, workspace_id, actor, action, ip, request_id, seq, prev_hash, hash)
     select gen_random_uuid(), workspace_id, 'x', action, ip, request_id, seq, prev_hash, hash from audit_log where seq = 3`,
    'inserted_row',
    3,
  ],
  [
    'a made-up checkpoint that says nothing of the beginning',
    `delete from audit_log where seq in (3, 4);
     insert into audit_checkpoints (workspace_id, first_seq, last_seq, hash, older_than) select workspace_id, 3, 4, prev_hash, now() from audit_log where seq = 5`,
    'changed_checkpoint',
    3,
  ],
]

test.each(tampered)('%s is found', async (_name, statement, kind, seq) => {
  const { db, address } = fresh
  for (let n = 0; n < 6; n++) await audited(db, { target: `t${n}`, summary: { after: { role: 'owner' } } })
  await tamperer(address)(statement)
  const { problem, isComplete } = await verifyAudit(db, firstWorkspaceId)
  expect(isComplete).toBe(true)
  if (_name === 'an entry put in') expect([3, 4]).toContain(problem?.seq)
  else expect(problem).toMatchObject({ kind, seq })
})

test('a chain that was rebuilt from end to end is found with a hash stored elsewhere', async () => {
  const { db, address } = fresh
  for (let n = 0; n < 3; n++) await audited(db)
  const earlierVerdict = await verifyAudit(db, firstWorkspaceId)
  await tamperer(address)(`
    update audit_log set actor = 'nobody' where seq = 1;
    do $$ declare e audit_log; p bytea := decode(repeat('00', 32), 'hex'); begin
      for e in select * from audit_log order by seq loop
        e.prev_hash := p; p := sha256(convert_to(service_audit_text(e), 'UTF8'));
        update audit_log set prev_hash = e.prev_hash, hash = p where id = e.id;
      end loop;
      update audit_heads set hash = p; end $$`)
  const now = await verifyAudit(db, firstWorkspaceId)
  expect(now).toMatchObject({ problem: null, headSeq: earlierVerdict.headSeq })
  expect(now.headHash).not.toBe(earlierVerdict.headHash)
})

test('retention deletes the oldest days only, and verification goes on behind its checkpoint', async () => {
  const { db } = fresh
  await ancient(db, 40, 40)
  await audited(db)
  const before = await verifyAudit(db, firstWorkspaceId)
  expect(await deleteAuditEntries(db, daysAgo(30), 4)).toBe(4)
  expect(await deleteAuditEntries(db, daysAgo(30), 100)).toBeGreaterThan(3)
  expect(await deleteAuditEntries(db, daysAgo(30), 100)).toBe(0)
  const { deleted, rows, ...after } = await verifyAudit(db, firstWorkspaceId)
  expect(after).toMatchObject({ problem: null, headSeq: 41, headHash: before.headHash })
  expect(rows + (deleted?.upToSeq ?? 0)).toBe(41)
  expect(await deleteAuditEntries(db, daysAgo(20), 100)).toBeGreaterThan(5)
  expect(await verifyAudit(db, firstWorkspaceId)).toMatchObject({ problem: null })
})

test('nothing younger than a day is deleted, whatever the setting, and nothing behind a younger entry', async () => {
  const { db } = fresh
  await audited(db)
  await ancient(db, 40, 5)
  expect(await deleteAuditEntries(db, new Date(Date.now() + 9 * dayMs), 100)).toBe(0)
  const [row] = await db.system<{
    n: number
  }>`select service_audit_prune(null, 9) + service_audit_prune('infinity', 9) as n`
  expect(row?.n).toBe(0)
  expect(await verifyAudit(db, firstWorkspaceId)).toMatchObject({ problem: null, rows: 6, deleted: null })
})

test('a log that retention has emptied continues with the next number', async () => {
  const { db } = fresh
  await ancient(db, 40, 5)
  expect(await deleteAuditEntries(db, daysAgo(3), 100)).toBe(5)
  expect(await verifyAudit(db, firstWorkspaceId)).toMatchObject({ problem: null, rows: 0, headSeq: 5 })
  await audited(db)
  expect(await verifyAudit(db, firstWorkspaceId)).toMatchObject({ problem: null, rows: 1, headSeq: 6 })
})

test.each([
  ['all', 3, 0],
  ['the oldest', 36, 5],
])('what retention deletes while the log is verified is not missed: %s entries', async (_which, days, left) => {
  const { db, address } = fresh
  await ancient(db, 40, 10)
  const owner = openPool(address, { name: 'tests', connectionsMax: 1, statementMs: 0 })
  // Held up between the head and the entries.
  const verdict = await owner.begin(async (query) => {
    await query`lock table audit_log`
    const verified = verifyAudit(db, firstWorkspaceId)
    const waiting = () => query`
      select from pg_locks join pg_database on pg_database.oid = database
      where datname = current_database() and not granted`
    await expect.poll(waiting).toHaveLength(1)
    await query`select service_audit_prune(${daysAgo(days)}, 100)`
    return { verified }
  })
  const { problem, rows, isComplete } = await verdict.verified
  await owner.end({ timeout: 2 })
  expect({ problem, isComplete }).toEqual({ problem: null, isComplete: true })
  expect(Math.abs(rows - left)).toBeLessThanOrEqual(1)
})

test.each([
  ['changed', `update audit_log set actor = 'nobody' where seq = 3`],
  ['removed', 'delete from audit_log where seq = 3'],
])('of a chain with a %s entry retention deletes nothing: it is the evidence', async (_name, statement) => {
  const { db, address } = fresh
  await ancient(db, 40, 10)
  await tamperer(address)(statement)
  expect(await deleteAuditEntries(db, daysAgo(30), 100)).toBe(0)
  expect(await verifyAudit(db, firstWorkspaceId)).toMatchObject({ problem: { seq: 3 } })
})

test('after retention, removed entries behind the checkpoint and entries put back before it are found', async () => {
  const { db, address } = fresh
  await ancient(db, 40, 20)
  expect(await deleteAuditEntries(db, daysAgo(35), 100)).toBeGreaterThan(2)
  const { deleted } = await verifyAudit(db, firstWorkspaceId)
  const first = (deleted?.upToSeq ?? 0) + 1
  await tamperer(address)(`
    insert into audit_log (id, workspace_id, actor, action, ip, request_id, seq, prev_hash, hash)
    select gen_random_uuid(), workspace_id, 'x', action, ip, request_id, 1, prev_hash, hash from audit_log where seq = ${first}`)
  expect(await verifyAudit(db, firstWorkspaceId)).toMatchObject({ problem: { kind: 'inserted_row', seq: 1 } })
  await tamperer(address)(`delete from audit_log where seq in (1, ${first})`)
  expect(await verifyAudit(db, firstWorkspaceId)).toMatchObject({ problem: { kind: 'removed_prefix', seq: first } })
})
