/** API keys on the real store: made, listed, used, revoked at once everywhere; and the first of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openSettings } from '../../../config/settings.ts'
import { admin as adminAccess, key } from '../../../http/access.ts'
import { createKey } from '../../../http/admin/apikeys/create.ts'
import { listKeys, readKey } from '../../../http/admin/apikeys/list.ts'
import { revokeKey } from '../../../http/admin/apikeys/revoke.ts'
import { rotateKey } from '../../../http/admin/apikeys/rotate.ts'
import { bootstrapKey } from '../../../http/auth/bootstrap-key.ts'
import { keyDigest, keyHint, newKeyText } from '../../../http/auth/key-text.ts'
import { rateLimiter } from '../../../http/auth/rate-limiter.ts'
import { storedKeyRing } from '../../../http/auth/stored-keys.ts'
import { addressTest } from '../../../http/edge/client-ip.ts'
import { type Route, route } from '../../../http/route.ts'
import { systemClock } from '../../../runtime/time/clock.ts'
import { createApiKey } from '../../../store/api-keys/changes.ts'
import { type Changes, listenForChanges } from '../../../store/changes.ts'
import { type Database, openDatabase } from '../../../store/database.ts'
import { firstWorkspaceId, newApiKeyId, newWorkspaceId } from '../../../store/id.ts'
import { ensureWorkspace } from '../../../store/workspaces.ts'
import { type FreshDatabase, freshDatabase } from '../../support/database.ts'
import { until } from '../../support/gateway.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { type TestGateway, testGateway } from '../support/server.ts'

const face = { tag: 'test', summary: 'test', answers: {} } as const
const routes: Route[] = [
  createKey,
  listKeys,
  readKey,
  revokeKey,
  rotateKey,
  route({
    ...face,
    access: key('chat'),
    method: 'GET',
    path: '/who',
    handle: ({ principal }) => ({ workspace: principal.workspaceId, kind: principal.kind }),
  }),
  route({ ...face, access: adminAccess('keys.read'), method: 'GET', path: '/read', handle: () => ({ ok: true }) }),
]

interface Process {
  test: TestGateway
  changes: Changes
  db: Database
  stop(): Promise<void>
}

let fresh: FreshDatabase
let one: Process
let other: Process
let admin: string

/** A gateway of its own on the same database, as another process would be. */
async function gatewayProcess(environment: Record<string, string> = {}): Promise<Process> {
  const db = openDatabase(fresh.address)
  const changes = await listenForChanges(db, recordingLog().log)
  await until(() => changes.isListening)
  const settings = openSettings({ environment, stored: new Map() })
  const keys = storedKeyRing({ db, changes, settings, clock: systemClock })
  const policy = { isTrustedProxy: addressTest(['127.0.0.1']) }
  const test = await testGateway(routes, { keys, limits: rateLimiter(systemClock), policy, app: { db, settings } })
  return {
    test,
    changes,
    db,
    async stop() {
      await test.stop()
      await keys.close()
      await changes.close()
      await db.close()
    },
  }
}

beforeAll(async () => {
  fresh = await freshDatabase()
  await ensureWorkspace(fresh.db, firstWorkspaceId, 'default')
  one = await gatewayProcess()
  other = await gatewayProcess({ SERVICE_COMPAT_KEY: 'my-own-words' })
  admin = (await bootstrapKey(fresh.db, { configured: undefined, workspaceId: firstWorkspaceId })) ?? ''
})
afterAll(async () => {
  await one?.stop()
  await other?.stop()
  await fresh?.drop()
})

interface Answered {
  status: number
  body: Record<string, unknown> & { error?: { code: string; param: string | null; message: string } }
}

async function ask(
  bearer: string,
  method: string,
  path: string,
  body?: object,
  where = one,
  from = '192.0.2.1',
): Promise<Answered> {
  const answer = await fetch(`${where.test.url}${path}`, {
    method,
    headers: {
      ...{ authorization: `Bearer ${bearer}`, 'x-forwarded-for': from },
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as Answered['body'] }
}

async function made(body: object, maker = admin): Promise<{ id: string; key: string }> {
  const answer = await ask(maker, 'POST', '/v1/admin/apikeys', { name: 'test', ...body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  const schema = createKey.answers[201]
  if (schema instanceof z.ZodType) schema.parse(answer.body)
  return answer.body as unknown as { id: string; key: string }
}

describe('the first key', () => {
  it('was made and is told once', async () => {
    expect(admin).toMatch(/^sk-[A-Za-z0-9_-]{43}$/)
    expect(await bootstrapKey(fresh.db, { configured: undefined, workspaceId: firstWorkspaceId })).toBeUndefined()
    expect((await ask(admin, 'GET', '/read')).status).toBe(200)
  })

  it('is the configured one on a database without keys, and is not shown', async () => {
    const empty = await freshDatabase()
    try {
      await ensureWorkspace(empty.db, firstWorkspaceId, 'default')
      const configured = newKeyText()
      const makers = [1, 2].map(() => bootstrapKey(empty.db, { configured, workspaceId: firstWorkspaceId }))
      expect(await Promise.all(makers)).toEqual([undefined, undefined])
      await expect(
        bootstrapKey((await freshEmpty()).db, { configured: 'password', workspaceId: firstWorkspaceId }),
      ).rejects.toMatchObject({ code: 'bootstrap_key_refused' })
    } finally {
      await empty.drop()
      for (const database of empties.splice(0)) await database.drop()
    }
  })

  const empties: FreshDatabase[] = []
  async function freshEmpty(): Promise<FreshDatabase> {
    const database = await freshDatabase()
    empties.push(database)
    return database
  }
})

describe('a new key', () => {
  it('works, has the scope chat unless told otherwise, and belongs to its maker’s workspace', async () => {
    const { key: text } = await made({})
    expect((await ask(text, 'GET', '/who')).body).toEqual({ workspace: firstWorkspaceId, kind: 'service' })
    expect((await ask(text, 'GET', '/read')).status).toBe(403)
  })

  it('made by a key is bound as that one is: it ends with it, and comes from nowhere else', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const { key: maker } = await made({
      scopes: ['admin:write', 'chat'],
      expires_at,
      allowed_ips: ['127.0.0.0/8', '::/0', '192.0.0.0/16'],
    })
    const issue = (body: object) => ask(maker, 'POST', '/v1/admin/apikeys', { name: 'x', scopes: ['chat'], ...body })
    expect(await issue({})).toMatchObject({
      status: 201,
      body: { expires_at, allowed_ips: ['127.0.0.0/8', '::/0', '192.0.0.0/16'] },
    })
    const later = new Date(Date.now() + 7_200_000).toISOString()
    for (const [body, param] of [
      [{ expires_at: later }, 'expires_at'],
      [{ allowed_ips: ['192.0.0.0/15'] }, 'allowed_ips'],
    ] as const)
      expect(await issue(body)).toMatchObject({ status: 403, body: { error: { code: 'looser_than_maker', param } } })
  })

  it('made or rotated by a bound key is no freer than that one', async () => {
    const { key: maker } = await made({ scopes: ['admin:write', 'chat'], rate_limit_rpm: 100 })
    const issue = (body: object) => ask(maker, 'POST', '/v1/admin/apikeys', { name: 'x', scopes: ['chat'], ...body })
    expect(await issue({})).toMatchObject({ status: 201, body: { rate_limit_rpm: 100 } })
    expect(await issue({ rate_limit_rpm: 101 })).toMatchObject({
      status: 403,
      body: { error: { param: 'rate_limit_rpm' } },
    })
    const { id } = await made({ scopes: ['chat'] })
    expect(await ask(maker, 'POST', '/v1/admin/apikeys/rotate', { id })).toMatchObject({
      status: 403,
      body: { error: { code: 'looser_than_maker', param: 'rate_limit_rpm' } },
    })
  })

  it('never has a scope that its maker lacks', async () => {
    const { key: maker } = await made({ scopes: ['admin:write', 'chat'] })
    await made({ scopes: ['chat'] }, maker)
    await made({ scopes: ['admin:write'] }, maker)
    for (const beyond of ['admin:read', 'mcp', '*']) {
      const refused = await ask(maker, 'POST', '/v1/admin/apikeys', { name: 'x', scopes: ['chat', beyond] })
      expect(refused).toMatchObject({ status: 403, body: { error: { code: 'scope_beyond_maker', param: 'scopes' } } })
    }
  })

  it('is made by nobody without admin:write', async () => {
    const { key: reader } = await made({ scopes: ['admin:read'] })
    expect((await ask(reader, 'POST', '/v1/admin/apikeys', { name: 'x' })).status).toBe(403)
    expect((await ask(reader, 'GET', '/v1/admin/apikeys')).status).toBe(200)
  })

  it('is refused with the field that is wrong', async () => {
    const wrong: [body: object, param: string][] = [
      [{}, 'name'],
      [{ name: '  ' }, 'name'],
      [{ name: 'x'.repeat(101) }, 'name'],
      [{ name: 'x', scopes: [] }, 'scopes'],
      [{ name: 'x', scopes: ['root'] }, 'scopes[0]'],
      [{ name: 'x', rate_limit_rpm: 0 }, 'rate_limit_rpm'],
      [{ name: 'x', rate_limit_rpm: 1.5 }, 'rate_limit_rpm'],
      [{ name: 'x', expires_at: 'tomorrow' }, 'expires_at'],
      [{ name: 'x', expires_at: '2001-01-01T00:00:00Z' }, 'expires_at'],
      [{ name: 'x', kind: 'root' }, 'kind'],
      [{ name: 'x', allowed_ips: ['300.0.0.1'] }, 'allowed_ips[0]'],
      [{ name: 'x', allowed_ips: ['192.0.2.0/24', '192.0.2.0/33'] }, 'allowed_ips[1]'],
      [{ name: 'x', allowed_ips: Array(51).fill('192.0.2.1') }, 'allowed_ips'],
    ]
    for (const [body, param] of wrong) {
      const refused = await ask(admin, 'POST', '/v1/admin/apikeys', body)
      expect(refused, JSON.stringify(body)).toMatchObject({ status: 400, body: { error: { param } } })
    }
  })

  it('keeps to its rate, in requests a minute', async () => {
    const { key: text } = await made({ rate_limit_rpm: 2 })
    expect((await ask(text, 'GET', '/who')).status).toBe(200)
    expect((await ask(text, 'GET', '/who')).status).toBe(200)
    expect((await ask(text, 'GET', '/who')).status).toBe(429)
  })

  it('is told in its answer only: no list and no log line has it', async () => {
    const { key: text, id } = await made({ name: 'unlogged' })
    await ask(text, 'GET', '/who')
    const list = JSON.stringify((await ask(admin, 'GET', '/v1/admin/apikeys')).body)
    expect(list).toContain(id)
    expect(list).not.toContain(text)
    expect(JSON.stringify(one.test.lines)).not.toContain(text)
  })
})

describe('a key bound to addresses', () => {
  const who = (key: string, from: string) => ask(key, 'GET', '/who', undefined, one, from)

  it('works from those, past the proxies we trust, and is 403 from all others with every request', async () => {
    const { key: text } = await made({ allowed_ips: ['198.51.100.0/24', '2001:db8::/32'] })
    for (let request = 0; request < 2; request++) {
      expect((await who(text, '198.51.100.7')).status).toBe(200)
      expect((await who(text, '2001:db8::7')).status).toBe(200)
      expect(await who(text, '203.0.113.9')).toMatchObject({ status: 403, body: { error: { code: 'ip_not_allowed' } } })
      // What stands left of the last hop was written by the client.
      expect((await who(text, '198.51.100.7, 203.0.113.9')).status).toBe(403)
    }
  })

  it('says in the list where it may come from', async () => {
    const { id } = await made({ allowed_ips: ['198.51.100.7', '198.51.100.7'] })
    const { body } = await ask(admin, 'GET', '/v1/admin/apikeys?limit=1')
    expect(body['items']).toEqual([expect.objectContaining({ id, allowed_ips: ['198.51.100.7'], used_at: null })])
  })
})

describe('the last use', () => {
  it('is written a moment after it, and within the minute no second time', async () => {
    const { id, key: text } = await made({})
    const usedAt = async () => {
      const [row] = await fresh.db.system<{ used_at: Date | null }>`
        select used_at from api_keys where id = ${id.slice('key_'.length)}`
      return row?.used_at ?? null
    }
    const [here, there] = [await gatewayProcess(), await gatewayProcess()]
    await ask(text, 'GET', '/who', undefined, here)
    expect(await usedAt()).toBeNull()
    await here.stop()
    const first = await usedAt()
    expect(first).not.toBeNull()
    // Another process does not know of it, and tells again.
    await ask(text, 'GET', '/who', undefined, there)
    await there.stop()
    expect(await usedAt()).toEqual(first)
    await fresh.db
      .system`update api_keys set used_at = now() - interval '2 minutes' where id = ${id.slice('key_'.length)}`
    const later = await gatewayProcess()
    await ask(text, 'GET', '/who', undefined, later)
    await later.stop()
    expect((await usedAt())?.getTime()).toBeGreaterThanOrEqual(first?.getTime() ?? 0)
    const { body } = await ask(admin, 'GET', '/v1/admin/apikeys')
    expect((body['items'] as { id: string; used_at: string }[]).find((key) => key.id === id)?.used_at).not.toBeNull()
  })
})

describe('a rotated key', () => {
  const rotate = (id: string, more: object = {}, as = admin) =>
    ask(as, 'POST', '/v1/admin/apikeys/rotate', { id, ...more })

  it('has another text and all that the old one had; the old one ends with the answer, everywhere', async () => {
    const expires_at = '2099-01-01T00:00:00.000Z'
    const like = { name: 'shop', scopes: ['chat', 'mcp'], rate_limit_rpm: 7, expires_at, allowed_ips: ['192.0.2.0/24'] }
    const old = await made(like)
    expect((await ask(old.key, 'GET', '/who', undefined, other)).status).toBe(200)
    const rotated = await rotate(old.id)
    expect(rotated).toMatchObject({ status: 201, body: { ...like, replaces: old.id } })
    expect(rotated.body['id']).not.toBe(old.id)
    expect((await ask(String(rotated.body['key']), 'GET', '/who')).status).toBe(200)
    expect((await ask(old.key, 'GET', '/who')).status).toBe(401)
    await expect.poll(async () => (await ask(old.key, 'GET', '/who', undefined, other)).status).toBe(401)
    expect((await rotate(old.id)).status).toBe(404)
  })

  it('works beside the new one for the overlap, and no longer than it would have', async () => {
    const soon = new Date(Date.now() + 60_000).toISOString()
    const [endless, ending] = [await made({}), await made({ expires_at: soon })]
    const begun = Date.now()
    for (const { id } of [endless, ending]) expect((await rotate(id, { overlap_s: 3_600 })).status).toBe(201)
    expect((await ask(endless.key, 'GET', '/who')).status).toBe(200)
    const { body } = await ask(admin, 'GET', '/v1/admin/apikeys')
    const until = (id: string) =>
      Date.parse((body['items'] as { id: string; expires_at: string }[]).find((key) => key.id === id)?.expires_at ?? '')
    expect(until(endless.id) - begun).toBeGreaterThan(3_590_000)
    expect(until(endless.id) - begun).toBeLessThan(3_660_000)
    expect(until(ending.id)).toBe(Date.parse(soon))
  })

  it('is not one with scopes that the caller lacks: its text would be theirs', async () => {
    const { key: lesser } = await made({ scopes: ['admin:write'] })
    const { id, key: text } = await made({ scopes: ['*'] })
    expect(await rotate(id, {}, lesser)).toMatchObject({ status: 403, body: { error: { code: 'scope_beyond_maker' } } })
    expect((await ask(text, 'GET', '/read')).status).toBe(200)
  })

  it('counts on the rate of the old one, with what was used of it, and so do keys made with either', async () => {
    const first = await made({ scopes: ['chat', 'admin:write'], rate_limit_rpm: 5 })
    const { key: child } = await made({}, first.key)
    const second = (await rotate(first.id, { overlap_s: 3_600 }, first.key)).body as { id: string; key: string }
    const third = (await rotate(second.id, {}, second.key)).body as { key: string }
    expect((await ask(third.key, 'GET', '/who')).status).toBe(200)
    expect((await ask(first.key, 'GET', '/who')).status).toBe(200)
    for (const text of [first.key, third.key, child]) expect((await ask(text, 'GET', '/who')).status).toBe(429)
  })

  it('is one for two who rotate at once', async () => {
    const { id } = await made({})
    const answers = await Promise.all([rotate(id), rotate(id)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 404])
  })
})

describe('the list', () => {
  it('comes in pages, newest first, and ends', async () => {
    const ids: string[] = []
    for (let key = 0; key < 5; key++) ids.unshift((await made({})).id)
    const seen: string[] = []
    let cursor = ''
    for (let page = 0; page < 100; page++) {
      const { body } = await ask(admin, 'GET', `/v1/admin/apikeys?limit=2${cursor && `&cursor=${cursor}`}`)
      const { items, next_cursor } = body as unknown as { items: { id: string }[]; next_cursor: string | null }
      seen.push(...items.map(({ id }) => id))
      if (next_cursor === null) break
      cursor = next_cursor
    }
    expect(seen.slice(0, 5)).toEqual(ids)
    expect(new Set(seen).size).toBe(seen.length)
  })

  it('has bounds', async () => {
    for (const query of [
      'limit=0',
      'limit=201',
      'limit=x',
      'cursor=1',
      'state=lost',
      'scope=none',
      `q=${'x'.repeat(101)}`,
    ]) {
      expect((await ask(admin, 'GET', `/v1/admin/apikeys?${query}`)).status).toBe(400)
    }
  })

  it('is narrowed by name, scope and state, and one is read by its id with the line that it continues', async () => {
    const one = await made({ name: 'Shop backend', scopes: ['mcp'] })
    const next = await ask(admin, 'POST', '/v1/admin/apikeys/rotate', { id: one.id })
    const found = async (query: string) =>
      ((await ask(admin, 'GET', `/v1/admin/apikeys?${query}`)).body['items'] as { id: string }[]).map(({ id }) => id)
    expect(await found('q=shop%20BACK&scope=mcp')).toEqual([next.body['id'], one.id])
    expect(await found('q=shop%20BACK&state=active')).toEqual([next.body['id']])
    expect(await found('q=shop%20BACK&state=expired')).toEqual([])
    expect(await found('q=shop%20BACK&scope=chat')).toEqual([])
    const read = await ask(admin, 'GET', `/v1/admin/apikeys/${next.body['id']}`)
    expect(read).toMatchObject({ status: 200, body: { id: next.body['id'], name: 'Shop backend', line_id: one.id } })
    expect((await ask(admin, 'GET', `/v1/admin/apikeys/${newApiKeyId()}`)).status).toBe(404)
  })

  it('and the power to revoke end at the workspace', async () => {
    const elsewhere = newWorkspaceId()
    await ensureWorkspace(fresh.db, elsewhere, 'elsewhere')
    const stranger = newKeyText()
    await createApiKey(fresh.db, {
      id: newApiKeyId(),
      workspaceId: elsewhere,
      name: 'stranger',
      kind: 'service',
      scopes: ['*'],
      rateLimitRpm: null,
      expiresAt: null,
      hash: Buffer.from(keyDigest(stranger), 'hex'),
      hint: keyHint(stranger),
      createdBy: 'test',
    })
    const mine = await made({})
    const { body } = await ask(stranger, 'GET', '/v1/admin/apikeys')
    expect((body as unknown as { items: { name: string }[] }).items.map(({ name }) => name)).toEqual(['stranger'])
    expect((await ask(stranger, 'POST', '/v1/admin/apikeys/revoke', { id: mine.id })).status).toBe(404)
    expect((await ask(mine.key, 'GET', '/who')).status).toBe(200)
  })
})

describe('a revoked key', () => {
  it('stops with the answer to its revocation, and in other processes with the word of it', async () => {
    const { id, key: text } = await made({})
    expect((await ask(text, 'GET', '/who')).status).toBe(200)
    expect((await ask(text, 'GET', '/who', undefined, other)).status).toBe(200)
    expect(await ask(admin, 'POST', '/v1/admin/apikeys/revoke', { id })).toEqual({ status: 200, body: { ok: true } })
    expect((await ask(text, 'GET', '/who')).status).toBe(401)
    await expect.poll(async () => (await ask(text, 'GET', '/who', undefined, other)).status).toBe(401)
    expect((await ask(admin, 'POST', '/v1/admin/apikeys/revoke', { id })).status).toBe(404)
  })

  it('stops also where the word cannot be heard', async () => {
    const deaf = await gatewayProcess()
    try {
      const { id, key: text } = await made({})
      expect((await ask(text, 'GET', '/who', undefined, deaf)).status).toBe(200)
      await deaf.changes.close()
      await ask(admin, 'POST', '/v1/admin/apikeys/revoke', { id })
      expect((await ask(text, 'GET', '/who', undefined, deaf)).status).toBe(401)
    } finally {
      await deaf.stop()
    }
  })
})

it('SERVICE_COMPAT_KEY opens the chat scope of the default workspace, where it is set', async () => {
  expect((await ask('my-own-words', 'GET', '/who', undefined, other)).body).toEqual({
    workspace: firstWorkspaceId,
    kind: 'compat',
  })
  expect((await ask('my-own-words', 'GET', '/read', undefined, other)).status).toBe(403)
  expect((await ask('my-own-words', 'GET', '/who')).status).toBe(401)
})

it('while the database is away, a key that nobody remembers is not called wrong', async () => {
  const alone = await gatewayProcess()
  try {
    const { key: text } = await made({})
    await alone.db.close()
    expect(await ask(text, 'GET', '/who', undefined, alone)).toMatchObject({
      status: 503,
      body: { error: { code: 'database_down', type: 'overloaded_error' } },
    })
  } finally {
    await alone.stop()
  }
})
