/** Agents as operators make, change, delete and restore them over the admin API. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgentRoute, updateAgentRoute } from '../../../http/admin/agents/change.ts'
import { listAgentsRoute, readAgentRoute } from '../../../http/admin/agents/list.ts'
import { listAgentVersions, restoreAgentVersion } from '../../../http/admin/agents/versions.ts'
import type { Route } from '../../../http/route.ts'
import { firstWorkspaceId, newAgentId, newWorkspaceId, uuidOf } from '../../../store/id.ts'
import { ensureWorkspace } from '../../../store/workspaces.ts'
import { type GatewayUnderTest, gatewayUnderTest, testKey } from '../../support/gateway.ts'

let running: GatewayUnderTest
let reader: string
let stranger: string

beforeAll(async () => {
  running = await gatewayUnderTest({ SERVICE_LLM_MODEL: 'some-model' })
  reader = (await send('POST', '/v1/admin/apikeys', { name: 'reader', scopes: ['admin:read'] })).body.key
  const { id, key } = (await send('POST', '/v1/admin/apikeys', { name: 'stranger', scopes: ['*'] })).body
  const elsewhere = newWorkspaceId()
  await ensureWorkspace(running.db, elsewhere, 'elsewhere')
  await running.db.system`update api_keys set workspace_id = ${uuidOf(elsewhere)} where id = ${uuidOf(id)}`
  stranger = key
})
afterAll(() => running.stop())

async function send(method: string, path: string, body?: unknown, key = testKey) {
  const answer = await fetch(`${running.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: whatever the answer holds
  return { status: answer.status, body: (await answer.json()) as any }
}

/** What the route promises of its answer. */
function promised(route: Route, status: number, body: unknown): void {
  const schema = route.answers[status]
  if (!(schema instanceof z.ZodType)) throw new Error(`the route promises no JSON with ${status}`)
  schema.parse(body)
}

const at = '/v1/admin/agents'

async function made(name: string, definition: object = {}) {
  const answer = await send('POST', at, { name, definition })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

async function audited(target: string) {
  const { body } = await send('GET', '/v1/admin/audit?limit=200')
  type Entry = { action: string; target: string; before_digest: string | null; after_digest: string | null }
  return (body.items as Entry[]).filter((entry) => entry.target === target)
}

const modelIds = async (): Promise<string[]> =>
  (await send('GET', '/v1/models')).body.data.map(({ id }: { id: string }) => id)

test('an agent that was made is shown whole, listed without its texts, and audited', async () => {
  const agent = await made('seller', { instructions: 'Sell.', tools: ['web_*'], temperature: 0.2 })
  promised(createAgentRoute, 201, agent)
  expect(agent).toMatchObject({
    ...{ name: 'seller', version: 1, deleted_at: null, warnings: [] },
    definition: { model: '', instructions: 'Sell.', tools: ['web_*'], temperature: 0.2, sub_agents: [] },
  })
  const { warnings: _, ...shown } = agent
  const read = await send('GET', `${at}/${agent.id}`, undefined, reader)
  promised(readAgentRoute, 200, read.body)
  expect(read).toEqual({ status: 200, body: shown })
  const list = await send('GET', `${at}?q=SELL`, undefined, reader)
  promised(listAgentsRoute, 200, list.body)
  expect(list.body).toMatchObject({ items: [{ id: agent.id, name: 'seller', model: '' }], total: 1, next_cursor: null })
  expect(JSON.stringify(list.body)).not.toContain('Sell.')
  expect(await audited(agent.id)).toMatchObject([{ action: 'agent.create', before_digest: null }])
})

test('a name that is taken is refused, and free again once its agent is deleted', async () => {
  const first = await made('taken')
  const again = await send('POST', at, { name: 'taken', definition: {} })
  expect([again.status, again.body.error.code, again.body.error.param]).toEqual([409, 'agent_name_taken', 'name'])
  expect((await send('POST', `${at}/delete`, { agent_id: first.id })).status).toBe(200)
  const second = await made('taken')
  const back = await send('POST', `${at}/restore`, { agent_id: first.id, version: 1 })
  expect([back.status, back.body.error.code]).toEqual([409, 'agent_name_taken'])
  expect((await send('GET', `${at}/${second.id}`)).status).toBe(200)
})

test('a change replaces the definition, and digests follow each other', async () => {
  const agent = await made('writer', { model: 'a', instructions: 'one' })
  const change = { agent_id: agent.id, version: 1, name: 'author', definition: { instructions: 'two' } }
  const changed = await send('POST', `${at}/update`, change)
  promised(updateAgentRoute, 200, changed.body)
  expect(changed).toMatchObject({
    status: 200,
    body: { id: agent.id, name: 'author', version: 2, definition: { model: '', instructions: 'two' } },
  })
  const [update, creation] = await audited(agent.id)
  expect([update?.action, creation?.action]).toEqual(['agent.change', 'agent.create'])
  expect(update?.before_digest).toBe(creation?.after_digest)
  expect(update?.after_digest).not.toBe(update?.before_digest)
})

test('a change of a version that is not the newest is refused and changes nothing', async () => {
  const agent = await made('contested')
  const change = (instructions: string) =>
    send('POST', `${at}/update`, { agent_id: agent.id, version: 1, definition: { instructions } })
  const [one, other] = await Promise.all([change('one'), change('other')])
  const [won, lost] = one.status === 200 ? [one, other] : [other, one]
  expect([won.status, won.body.version]).toEqual([200, 2])
  expect([lost.status, lost.body.error.code]).toEqual([409, 'version_conflict'])
  const { body } = await send('GET', `${at}/${agent.id}`)
  expect(body.definition.instructions).toBe(won.body.definition.instructions)
  expect(await audited(agent.id)).toHaveLength(2)
})

test('an earlier version is restored as a new one, its name too', async () => {
  const agent = await made('first-name', { instructions: 'one' })
  await send('POST', `${at}/update`, { agent_id: agent.id, version: 1, name: 'second-name', definition: {} })
  const restored = await send('POST', `${at}/restore`, { agent_id: agent.id, version: 1 })
  promised(restoreAgentVersion, 200, restored.body)
  expect(restored.body).toMatchObject({ name: 'first-name', version: 3, definition: { instructions: 'one' } })
  const versions = await send('GET', `${at}/versions?agent_id=${agent.id}&limit=2`, undefined, reader)
  promised(listAgentVersions, 200, versions.body)
  expect(versions.body).toMatchObject({ items: [{ version: 3 }, { version: 2, name: 'second-name' }], next_cursor: 2 })
  const rest = await send('GET', `${at}/versions?agent_id=${agent.id}&cursor=2`)
  expect(rest.body).toMatchObject({ items: [{ version: 1, definition: { instructions: 'one' } }], next_cursor: null })
  const [restoration, , creation] = await audited(agent.id)
  expect(restoration?.action).toBe('agent.restore')
  expect(restoration?.after_digest).toBe(creation?.after_digest)
})

test('a deleted agent is not read, not named, listed on demand, and can be restored', async () => {
  const agent = await made('gone', { instructions: 'still here' })
  expect(await modelIds()).toContain('gone')
  expect(await send('POST', `${at}/delete`, { agent_id: agent.id })).toEqual({ status: 200, body: { ok: true } })
  expect((await send('POST', `${at}/delete`, { agent_id: agent.id })).status).toBe(404)
  expect((await send('GET', `${at}/${agent.id}`)).status).toBe(404)
  expect((await send('POST', `${at}/update`, { agent_id: agent.id, version: 1, definition: {} })).status).toBe(404)
  expect(await modelIds()).not.toContain('gone')
  expect((await send('GET', `${at}?q=gone`)).body.total).toBe(0)
  const deleted = (await send('GET', `${at}?q=gone&deleted=true`)).body.items
  expect(deleted).toMatchObject([{ id: agent.id, deleted_at: expect.any(String) }])
  expect((await send('GET', `${at}/versions?agent_id=${agent.id}`)).body.items).toHaveLength(1)
  const back = await send('POST', `${at}/restore`, { agent_id: agent.id, version: 1 })
  expect(back.body).toMatchObject({ version: 2, deleted_at: null, definition: { instructions: 'still here' } })
  expect(await modelIds()).toContain('gone')
  const actions = (await audited(agent.id)).map(({ action }) => action)
  expect(actions).toEqual(['agent.restore', 'agent.delete', 'agent.create'])
})

test('a version that is not there, or cannot be read any more, is not restored', async () => {
  const agent = await made('odd')
  const restore = (version: number) => send('POST', `${at}/restore`, { agent_id: agent.id, version })
  expect((await restore(2)).status).toBe(404)
  expect((await restore(2_147_483_647)).status).toBe(404)
  expect((await restore(2_147_483_648)).status).toBe(400)
  await running.db
    .system`update agent_versions set definition = '{"from": "elsewhere"}' where agent_id = ${uuidOf(agent.id)}`
  const refused = await restore(1)
  expect([refused.status, refused.body.error.code]).toEqual([409, 'version_unreadable'])
  expect((await send('GET', `${at}/${agent.id}`)).body.version).toBe(1)
})

test('sub-agents that do not exist are allowed with a warning, which ends when they are made', async () => {
  const boss = await made('boss', { sub_agents: ['default', 'helper-one', 'helper-two'] })
  expect(boss.warnings).toEqual([
    'sub_agents: there is no agent helper-one.',
    'sub_agents: there is no agent helper-two.',
  ])
  await made('helper-one')
  const { definition } = boss
  const changed = await send('POST', `${at}/update`, { agent_id: boss.id, version: 1, definition })
  expect(changed.body.warnings).toEqual(['sub_agents: there is no agent helper-two.'])
})

test('an agent that names itself is refused, when it is made, changed or renamed', async () => {
  const itself = await send('POST', at, { name: 'mirror', definition: { sub_agents: ['mirror'] } })
  expect([itself.status, itself.body.error.param]).toEqual([400, 'definition.sub_agents'])
  const agent = await made('mirror', { sub_agents: ['image'] })
  for (const change of [
    { definition: { sub_agents: ['mirror'] } },
    { name: 'image', definition: { sub_agents: ['image'] } },
  ]) {
    const changed = await send('POST', `${at}/update`, { agent_id: agent.id, version: 1, ...change })
    expect([changed.status, changed.body.error.param]).toEqual([400, 'definition.sub_agents'])
  }
  expect((await send('GET', `${at}/${agent.id}`)).body.version).toBe(1)
})

test.each([
  ['name', { name: 'two words', definition: {} }],
  ['definition', { name: 'x' }],
  ['definition', { name: 'x', definition: { prompt: 'unknown' } }],
  ['definition.temperature', { name: 'x', definition: { temperature: 3 } }],
  ['definition.tools[0]', { name: 'x', definition: { tools: ['rm -rf'] } }],
])('what cannot be is refused by its name: %s', async (param, body) => {
  const answer = await send('POST', at, body)
  expect([answer.status, answer.body.error.param]).toEqual([400, param])
})

test('the list comes in pages by cursor or offset, not both', async () => {
  const names = ['page-1', 'page-2', 'page-3', 'page-4', 'page-5']
  for (const name of names) await made(name)
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const { body } = await send('GET', `${at}?q=page-&limit=2${cursor && `&cursor=${cursor}`}`)
    expect(body.total).toBe(5)
    seen.push(...body.items.map(({ name }: { name: string }) => name))
    if (body.next_cursor === null) break
    cursor = body.next_cursor
  }
  expect(seen).toEqual(names.toReversed())
  const skipped = (await send('GET', `${at}?q=page-&offset=3`)).body
  expect(skipped.items.map(({ name }: { name: string }) => name)).toEqual(['page-2', 'page-1'])
  expect((await send('GET', `${at}?offset=1&cursor=${newAgentId()}`)).body.error.param).toBe('offset')
  for (const query of ['limit=0', 'limit=201', 'offset=-1', 'cursor=x', 'deleted=maybe'])
    expect((await send('GET', `${at}?${query}`)).status, query).toBe(400)
})

test('reading takes admin:read, every change admin:write', async () => {
  const { id } = await made('guarded')
  for (const [path, body] of [
    [at, { name: 'other', definition: {} }],
    [`${at}/update`, { agent_id: id, version: 1, definition: {} }],
    [`${at}/delete`, { agent_id: id }],
    [`${at}/restore`, { agent_id: id, version: 1 }],
  ] as const)
    expect((await send('POST', path, body, reader)).status, path).toBe(403)
  const chat = (await send('POST', '/v1/admin/apikeys', { name: 'chat', scopes: ['chat'] })).body.key
  for (const path of [at, `${at}/${id}`, `${at}/versions?agent_id=${id}`])
    expect((await send('GET', path, undefined, chat)).status, path).toBe(403)
})

test('the agents of another workspace are not there, and their names are free', async () => {
  const { id } = await made('private')
  for (const [method, path, body] of [
    ['GET', `${at}/${id}`],
    ['GET', `${at}/versions?agent_id=${id}`],
    ['POST', `${at}/update`, { agent_id: id, version: 1, definition: {} }],
    ['POST', `${at}/delete`, { agent_id: id }],
    ['POST', `${at}/restore`, { agent_id: id, version: 1 }],
  ] as const)
    expect((await send(method, path, body, stranger)).status, `${method} ${path}`).toBe(404)
  expect((await send('GET', at, undefined, stranger)).body).toEqual({ items: [], total: 0, next_cursor: null })
  const theirs = await send('POST', at, { name: 'private', definition: { sub_agents: ['seller'] } }, stranger)
  expect([theirs.status, theirs.body.warnings]).toEqual([201, ['sub_agents: there is no agent seller.']])
  expect((await send('GET', '/v1/models', undefined, stranger)).body.data).toMatchObject([
    { id: 'some-model', owned_by: 'service' },
    { id: 'private', owned_by: 'agent' },
  ])
})

test('agents stand beside the model in /v1/models; one of the same name stands in its place', async () => {
  await made('some-model')
  const { data } = (await send('GET', '/v1/models')).body
  const named = data.filter(({ id }: { id: string }) => id === 'some-model')
  expect(named).toMatchObject([{ object: 'model', owned_by: 'agent', created: expect.any(Number) }])
  expect(named[0].created).toBeGreaterThan(1_600_000_000)
})

test('a workspace that has as many agents as it may takes no more, neither new nor restored', async () => {
  const { id } = await made('one-too-many')
  await send('POST', `${at}/delete`, { agent_id: id })
  await running.db.forWorkspace(firstWorkspaceId)`
    insert into agents (id, workspace_id, name, definition, updated_by)
    select gen_random_uuid(), ${uuidOf(firstWorkspaceId)}, 'crowd-' || n, '{}', 'test'
    from generate_series(1, 1000 - (select count(*) from agents where deleted_at is null)) as n`
  for (const [path, body] of [
    [at, { name: 'one-too-many', definition: {} }],
    [`${at}/restore`, { agent_id: id, version: 1 }],
  ] as const) {
    const refused = await send('POST', path, body)
    expect([refused.status, refused.body.error.code]).toEqual([409, 'too_many_agents'])
  }
  const crowd = (await send('GET', `${at}?q=crowd-1&limit=1`)).body.items[0]
  await send('POST', `${at}/delete`, { agent_id: crowd.id })
  expect((await send('POST', `${at}/restore`, { agent_id: id, version: 1 })).status).toBe(200)
})
