/** The audit log as it is read: what it shows of a change, how it is filtered, and that 100,000 entries are not too many. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listAudit } from '../../store/audit/audit.ts'
import { verifyAudit } from '../../store/audit/chain.ts'
import { type AuditFilter, auditEntriesAfter, newestAuditSeq } from '../../store/audit/list.ts'
import { firstWorkspaceId, newWorkspaceId, uuidOf, type WorkspaceId } from '../../store/id.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { leastOf, processorMs } from '../support/processor-ms.ts'
import { ancient, auditActor, audited, tamperer } from './support/audit.ts'

let fresh: FreshDatabase
const large = newWorkspaceId()
const entriesMax = 100_000

beforeAll(async () => {
  fresh = await freshDatabase()
  await fillLarge(large)
})
afterAll(() => fresh.drop())

/** Past the trigger, in one statement: what is asked of these is how they are found, not whether they are a chain. */
async function fillLarge(workspace: WorkspaceId): Promise<void> {
  await tamperer(fresh.address)(`
    insert into audit_log (id, workspace_id, actor, action, target, ip, request_id, at, seq, prev_hash, hash)
    select gen_random_uuid(), '${uuidOf(workspace)}', 'actor-' || n % 1000,
      (array['channel.change', 'agent.change', 'key_use', 'rare.event'])[case when n = 77777 then 4 else 1 + n % 3 end],
      'target-' || n, '', '', '2026-01-01'::timestamptz + n * interval '1 second', n, '\\x00', '\\x00'
    from generate_series(1, ${entriesMax}) as n;
    analyze audit_log`)
}

const any: AuditFilter = { actor: null, action: null, target: null, from: null, to: null }
const page = { before: null, limit: 50 }

test('visible fields of a change are shown, others are a digest', async () => {
  const { db } = fresh
  await audited(db, { action: 'shown.one', summary: { before: { role: 'user' }, after: { role: 'owner' } } })
  await audited(db, { action: 'shown.two', before: { secret: 'one' }, after: { secret: 'two' } })
  const [two, one] = await listAudit(db, firstWorkspaceId, page, { ...any, action: 'shown.' })
  expect(one?.detail).toEqual({ before: { role: 'user' }, after: { role: 'owner' } })
  expect(one?.afterDigest).toMatch(/^[0-9a-f]{64}$/)
  expect(two).toMatchObject({ detail: null, beforeDigest: expect.stringMatching(/^[0-9a-f]{64}$/) })
})

test('the shown summary is bounded: long texts, many fields and deep ones are cut', async () => {
  const { db } = fresh
  let deep: object = {}
  for (let n = 0; n < 50; n++) deep = { deep }
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`f${n}`, n]))
  await audited(db, { action: 'long.one', summary: { after: { text: 'x'.repeat(9_999), many, deep, nul: 'a\0b' } } })
  await audited(db, {
    action: 'long.two',
    summary: { after: { all: Array.from({ length: 90 }, () => 'y'.repeat(2_000)) } },
  })
  const [two, one] = await listAudit(db, firstWorkspaceId, page, { ...any, action: 'long.' })
  expect(one?.detailText?.length).toBeLessThan(10_000)
  expect(one?.detail?.after).toMatchObject({ text: expect.stringContaining('[7999 more]'), nul: 'ab' })
  expect(two?.detail).toMatchObject({ after: null, omitted: expect.stringContaining('characters') })
})

test('filters find what matches and nothing else; pattern characters are literal', async () => {
  const { db } = fresh
  const other = { ...auditActor(), name: 'boris%' }
  await audited(db, { actor: other, action: 'filter.one', target: 'a' })
  await audited(db, { actor: other, action: 'filterXtwo', target: 'b'.repeat(900) })
  const found = async (filter: Partial<AuditFilter>) =>
    (await listAudit(db, firstWorkspaceId, page, { ...any, ...filter })).map(({ action }) => action)
  expect(await found({ actor: 'boris%' })).toEqual(['filterXtwo', 'filter.one'])
  expect(await found({ actor: 'bor' })).toEqual([])
  expect(await found({ action: 'filter.' })).toEqual(['filter.one'])
  expect(await found({ action: 'filter_' })).toEqual([])
  expect(await found({ target: 'a', actor: 'boris%' })).toEqual(['filter.one'])
  expect(await found({ target: 'b'.repeat(900) })).toEqual(['filterXtwo'])
  expect(await found({ from: new Date(Date.now() + 60_000) })).toEqual([])
  expect(await found({ to: new Date(Date.now() + 60_000), action: 'filter.' })).toEqual(['filter.one'])
})

test.each<[string, Partial<AuditFilter>, number]>([
  ['no filter', {}, 50],
  ['an actor', { actor: 'actor-7' }, 50],
  ['an action that is rare', { action: 'rare.' }, 1],
  ['an action that is common', { action: 'channel.' }, 50],
  ['a target', { target: 'target-5' }, 1],
  ['a minute', { from: new Date('2026-01-01T01:00:00Z'), to: new Date('2026-01-01T01:00:30Z') }, 30],
  ['an action that there is not', { action: 'nothing.' }, 0],
])('of 100,000 entries a page takes little work, by %s', async (_name, filter, count) => {
  const { db } = fresh
  const read = () => listAudit(db, large, page, { ...any, ...filter })
  expect(await read()).toHaveLength(count)
  expect(await leastOf(5, () => processorMs(read, db))).toBeLessThan(50)
})

test('100,000 entries are read from the first to the last in pages, each once', async () => {
  const { db } = fresh
  const upTo = await newestAuditSeq(db, large)
  let [after, count] = [0, 0]
  for (;;) {
    const entries = await auditEntriesAfter(db, large, any, { after, upTo, limit: 5_000 })
    if (entries.length === 0) break
    expect(entries[0]?.seq).toBe(after + 1)
    after = entries.at(-1)?.seq ?? after
    count += entries.length
  }
  expect(count).toBe(entriesMax)
})

test('a verification reads many pages, and no more entries than its limit', async () => {
  const { db } = fresh
  const long = newWorkspaceId()
  await ancient(db, 5_000, 1_700, long)
  expect(await verifyAudit(db, long)).toMatchObject({ problem: null, isComplete: true, rows: 1_700, headSeq: 1_700 })
  expect(await verifyAudit(db, long, { rowsMax: 1_200 })).toMatchObject({
    ...{ problem: null, isComplete: false, rows: 1_200, verifiedSeq: 1_200 },
  })
})
