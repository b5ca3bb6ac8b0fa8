/** Keys and operators are found among 100,000 of a workspace, also where nothing or only the oldest fits. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type KeyFilters, listApiKeys, readApiKey } from '../../store/api-keys/reads.ts'
import { idFrom, newApiKeyId, newWorkspaceId, uuidOf } from '../../store/id.ts'
import { listOperators, type OperatorFilters } from '../../store/operators/operators.ts'
import { ensureWorkspace } from '../../store/workspaces.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { leastOf, processorMs } from '../support/processor-ms.ts'

const rows = 100_000
/** Of a list at 100,000 rows. */
const answerMsMax = 300
const workspace = newWorkspaceId()
const other = newWorkspaceId()

let fresh: FreshDatabase

beforeAll(async () => {
  fresh = await freshDatabase()
  for (const id of [workspace, other]) await ensureWorkspace(fresh.db, id, 'test')
  await fresh.db.system`
    insert into api_keys (id, workspace_id, name, kind, hash, hint, scopes, expires_at, revoked_at, created_by)
    select lpad(to_hex(n), 32, '0')::uuid, ${uuidOf(workspace)}::uuid, case when n = 1 then 'Лавка 50%' else 'key ' || n end,
      'service', sha256(n::text::bytea), 'sk-' || n, case when n = 2 then array['mcp', 'chat'] else array['chat'] end,
      case when n in (3, 4) then now() - interval '1 hour' end, case when n in (4, 5) then now() end, 'test'
    from generate_series(1, ${rows}::integer) as n`
  await fresh.db.system`
    insert into operators (id, login, name, is_disabled, totp_confirmed_at, created_by)
    select lpad(to_hex(n), 32, '0')::uuid, 'login-' || lpad(n::text, 6, '0'), case when n = ${rows} then 'Ёлка' else '' end,
      n = ${rows - 1}, case when n = ${rows - 2} then now() end, 'test'
    from generate_series(1, ${rows}::integer) as n`
  await fresh.db.system`
    insert into operator_passkeys (id, operator_id, public_key, counter, name)
    select 'one', id, 'x', 0, '' from operators where login = 'login-099997'`
  await fresh.db.system`
    insert into operator_roles (operator_id, workspace_id, role, granted_by)
    select id, ${uuidOf(workspace)}::uuid, case when login like '%99997' then 'owner' else 'operator' end, 'test' from operators`
})
afterAll(() => fresh.drop())

const keysWith = async (filters: KeyFilters) =>
  (await listApiKeys(fresh.db, workspace, { before: null, limit: 51 }, filters)).map(({ hint }) => hint)
const operatorsWith = async (filters: OperatorFilters) =>
  (await listOperators(fresh.db, workspace, { after: null, limit: 51 }, filters)).map(({ login }) => login)

async function expectFast(work: () => Promise<unknown>): Promise<void> {
  expect(await leastOf(3, () => processorMs(work, fresh.db))).toBeLessThan(answerMsMax)
}

it.each<[string, KeyFilters, string[]]>([
  ['a part of the name in another case', { text: 'лАВКА' }, ['sk-1']],
  ['a sign that patterns know', { text: '0%' }, ['sk-1']],
  ['the first characters', { text: 'SK-10000' }, ['sk-100000', 'sk-10000']],
  ['a scope', { scope: 'mcp' }, ['sk-2']],
  ['what has expired', { state: 'expired' }, ['sk-3']],
  ['what was revoked', { state: 'revoked' }, ['sk-5', 'sk-4']],
  ['what still works', { state: 'active', text: 'sk-5' }, []],
  ['nothing', { text: 'nobody' }, []],
])('keys by %s', async (_name, filters, found) => {
  const hints = await keysWith(filters)
  if (filters.state === 'active') {
    expect(hints).toHaveLength(51)
    expect(hints).not.toContain('sk-5')
  } else expect(hints).toEqual(found)
  await expectFast(() => keysWith(filters))
})

it.each<[string, OperatorFilters, string[]]>([
  ['a part of the login', { text: 'GIN-000007' }, ['login-000007']],
  ['a part of the name in another case', { text: 'ёлк' }, ['login-100000']],
  ['a role', { role: 'owner' }, ['login-099997']],
  ['whether they are disabled', { isDisabled: true }, ['login-099999']],
  ['a second factor', { hasFactor: true }, ['login-099997', 'login-099998']],
  ['nothing', { text: 'nobody' }, []],
])('operators by %s', async (_name, filters, found) => {
  expect(await operatorsWith(filters)).toEqual(found)
  await expectFast(() => operatorsWith(filters))
})

it('another workspace finds none of them, nor reads one', async () => {
  const first = idFrom('key', '00000000-0000-0000-0000-000000000001')
  expect((await readApiKey(fresh.db, workspace, first))?.hint).toBe('sk-1')
  expect(await readApiKey(fresh.db, other, first)).toBeUndefined()
  expect(await readApiKey(fresh.db, workspace, newApiKeyId())).toBeUndefined()
  expect(await listApiKeys(fresh.db, other, { before: null, limit: 5 }, { text: 'key' })).toEqual([])
  expect(await listOperators(fresh.db, other, { after: null, limit: 5 }, { text: 'login' })).toEqual([])
})
