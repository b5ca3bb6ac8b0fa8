/** The audit log over the admin API: filtered, exported whole, safe in a spreadsheet, and verified. */
import { hash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { csvCell } from '../../../../http/admin/audit/export-lines.ts'
import { auditText } from '../../../../store/audit/chain.ts'
import { firstWorkspaceId, newAgentId, newWorkspaceId, uuidOf } from '../../../../store/id.ts'
import { ancient, auditActor, audited, tamperer } from '../../../store/support/audit.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../../support/gateway.ts'

let running: GatewayUnderTest
beforeAll(async () => {
  running = await gatewayUnderTest({ SERVICE_MODERATION: 'off' })
  const { db } = running
  await ancient(db, 3_000, 2_500)
  await audited(db, { target: '=cmd|calc', summary: { before: null, after: { name: 'Zoë "x"' } } })
  await audited(db, { actor: { ...auditActor(), name: 'boris' }, action: 'agent.change', target: 'a\n,"b"' })
  await audited(db, { actor: auditActor(newWorkspaceId()), action: 'of.another' })
})
afterAll(() => running.stop())

async function json(path: string) {
  const answer = await running.get(path)
  expect(answer.status).toBe(200)
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect in it
  return (await answer.json()) as any
}

test('entries are listed by actor, action, target and time, in pages, those of another workspace never', async () => {
  expect((await json('/v1/admin/audit?actor=boris')).items).toMatchObject([{ action: 'agent.change', detail: null }])
  expect((await json('/v1/admin/audit?target=%3Dcmd%7Ccalc')).items).toMatchObject([
    { seq: expect.any(Number), detail: { before: null, after: { name: 'Zoë "x"' } } },
  ])
  expect((await json('/v1/admin/audit?action=of.')).items).toEqual([])
  const from = new Date(Date.now() - 86_400_000).toISOString()
  expect((await json(`/v1/admin/audit?from=${from}&action=test.`)).items).toHaveLength(1)
  const first = await json('/v1/admin/audit?limit=2')
  const second = await json(`/v1/admin/audit?limit=2&cursor=${first.next_cursor}`)
  expect(second.items[0].id < first.items[1].id).toBe(true)
  expect((await running.get('/v1/admin/audit?from=yesterday')).status).toBe(400)
})

test('entries say the names of keys, agents and people that still exist, and can be asked for one by one', async () => {
  const { db } = running
  const { id: key } = (await json('/v1/admin/apikeys')).items[0]
  const agent = newAgentId()
  await db.forWorkspace(firstWorkspaceId)`
    insert into agents (id, workspace_id, name, definition, updated_by)
    values (${uuidOf(agent)}, ${uuidOf(firstWorkspaceId)}, 'billing', '{}', 'anna')`
  const other = newWorkspaceId()
  const foreign = newAgentId()
  await db.system`insert into workspaces (id, name) values (${uuidOf(other)}, 'Elsewhere')`
  await db.forWorkspace(other)`
    insert into agents (id, workspace_id, name, definition, updated_by)
    values (${uuidOf(foreign)}, ${uuidOf(other)}, 'of another', '{}', 'anna')`
  const [channel] = await db.system<{
    id: string
    name: string
  }>`select replace(id::text, '-', '') as id, name from channels limit 1`
  const actor = { ...auditActor(), name: key }
  for (const target of [agent, foreign, newAgentId(), key, 'plain', `chan_${channel?.id}/anna`])
    await audited(db, { actor, action: 'named.one', target })
  const { items } = await json('/v1/admin/audit?action=named.')
  const keyName = items[2].target_name
  expect(keyName).toEqual(expect.stringMatching(/./))
  expect(items.map((item: { target_name: string | null }) => item.target_name)).toEqual([
    ...[channel?.name, null, keyName, null, null, 'billing'],
  ])
  expect(items.every((item: { actor_name: string | null }) => item.actor_name === keyName)).toBe(true)
  expect((await json(`/v1/admin/audit?id=${items[2].id}`)).items).toEqual([items[2]])
  expect((await json('/v1/admin/audit?action=test.change')).items[0]).toMatchObject({
    actor_name: null,
    target_name: null,
  })
})

test('an export holds every entry once, in order, with all that its hash is made of', async () => {
  const answer = await running.get('/v1/admin/audit/export')
  expect(answer.headers.get('content-type')).toContain('application/x-ndjson')
  expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="audit-ws_[0-9a-f]{32}\.ndjson"$/)
  const lines = (await answer.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.length).toBeGreaterThanOrEqual(2_502)
  expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, n) => n + 1))
  expect(JSON.stringify(lines)).not.toContain('of.another')
  const dashed = (id: string) => id.replace(/^[a-z]+_(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  let before = '00'.repeat(32)
  for (const it of lines) {
    const text = auditText([
      ...[before, String(it.seq), dashed(it.id), dashed(firstWorkspaceId), it.at, it.actor, it.action, it.target],
      ...[it.before_digest, it.after_digest, it.ip, it.request_id, it.detail_text],
    ])
    expect(hash('sha256', text, 'hex')).toBe(it.hash)
    before = it.hash
  }
})

test('an export can be filtered, and a spreadsheet runs nothing of it', async () => {
  const answer = await running.get('/v1/admin/audit/export?format=csv&action=test.change')
  const text = await answer.text()
  expect(answer.headers.get('content-type')).toContain('text/csv')
  expect(text.split('\r\n')[0]).toBe(
    'seq,at,actor,action,target,detail,before_digest,after_digest,ip,request_id,id,prev_hash,hash',
  )
  expect(text).toContain(`"'=cmd|calc"`)
  expect(text).toContain('Zoë')
  const boris = await (await running.get('/v1/admin/audit/export?format=csv&actor=boris')).text()
  expect(boris).toContain('"a\n,""b"""')
  expect(boris).not.toContain('=cmd')
})

test.each(['=1', '+1', '-1', '@x', '\t=1', '\r=1', ' =1', '\u3000=1', '\ufeff=1', '＝1', '＋1', '－1', '＠1', '|x'])(
  'a cell that begins with %j begins with an apostrophe',
  (text) => {
    expect(csvCell(text)).toBe(`"'${text}"`)
    expect(csvCell(`a${text}`)).toBe(`"a${text}"`)
  },
)

test('a reader that leaves in the middle of an export ends it', async () => {
  const going = new AbortController()
  const answer = await fetch(`${running.url}/v1/admin/audit/export`, {
    headers: { authorization: 'Bearer sk-test-key-of-the-first-start' },
    signal: going.signal,
  })
  await answer.body?.getReader().read()
  going.abort()
  expect((await json('/v1/admin/audit?limit=1')).items).toHaveLength(1)
  expect(running.lines.filter(({ level }) => level >= 50)).toEqual([])
})

test('a whole log verifies, one that was changed says where, and two verifications do not run at once', async () => {
  const whole = await json('/v1/admin/audit/verify')
  expect(whole).toMatchObject({ intact: true, complete: true, problem: null })
  expect(whole.head.hash).toMatch(/^[0-9a-f]{64}$/)
  const both = await Promise.all([1, 2].map(() => running.get('/v1/admin/audit/verify')))
  expect(both.map(({ status }) => status).sort()).toEqual([200, 429])
  await tamperer(running.address)(
    `update audit_log set actor = 'nobody' where workspace_id = '${uuidOf(firstWorkspaceId)}' and seq = 1234`,
  )
  const broken = await json('/v1/admin/audit/verify')
  expect(broken).toMatchObject({ intact: false, complete: true, problem: { kind: 'changed_row', seq: 1234 } })
})
