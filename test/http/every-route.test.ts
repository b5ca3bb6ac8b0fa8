/** Every route, asked with every kind of credential: who gets in is written out here a second time, by hand. */
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keyDigest, keyHint, newKeyText } from '../../http/auth/key-text.ts'
import { csrfTokenOf, newSessionToken, sessionDigest } from '../../http/auth/session-cookie.ts'
import { routes } from '../../http/routes.ts'
import { createApiKey, type NewApiKey, revokeApiKey } from '../../store/api-keys/changes.ts'
import { firstWorkspaceId, newApiKeyId, type OperatorId } from '../../store/id.ts'
import { changeOperator } from '../../store/operators/changes.ts'
import { createOperator, type OperatorRole } from '../../store/operators/operators.ts'
import { createSession, readInstallationId } from '../../store/operators/sessions.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../support/gateway.ts'

interface Rule {
  kind: 'open' | 'inbound' | 'chat' | 'web' | 'read' | 'write' | 'people' | 'owners' | 'own' | 'off'
  roles: readonly OperatorRole[]
  isDangerous?: true
}

const everybody = ['owner', 'admin', 'operator', 'auditor', 'user'] as const
const staff = ['owner', 'admin', 'operator', 'auditor'] as const
const hands = ['owner', 'admin', 'operator'] as const
const heads = ['owner', 'admin'] as const
const inspectors = ['owner', 'admin', 'auditor'] as const
const talkers = ['owner', 'admin', 'operator', 'user'] as const

const open: Rule = { kind: 'open', roles: [] }
/** Of features that this version does not have. */
const off: Rule = { kind: 'off', roles: [] }
const inbound: Rule = { kind: 'inbound', roles: [] }
const chat: Rule = { kind: 'chat', roles: talkers }
const web = (roles: Rule['roles']): Rule => ({ kind: 'web', roles })
const read = (roles: Rule['roles']): Rule => ({ kind: 'read', roles })
const write = (roles: Rule['roles']): Rule => ({ kind: 'write', roles })
const people: Rule = { kind: 'people', roles: heads }
const owners: Rule = { kind: 'owners', roles: ['owner'] }
const own = (roles: Rule['roles'] = everybody): Rule => ({ kind: 'own', roles })
const dangerous = (rule: Rule): Rule => ({ ...rule, isDangerous: true })

/** Whoever declares a route otherwise, or adds one, says it here too. */
const table: Record<string, Rule> = {
  'POST /v1/chat/completions': chat,
  'POST /v1/responses': chat,
  'GET /v1/responses/:response_id': chat,
  'DELETE /v1/responses/:response_id': chat,
  'POST /v1/responses/:response_id/cancel': chat,
  'GET /v1/responses/:response_id/input_items': chat,
  'GET /v1/models': chat,
  'GET /v1/models/:model*': chat,
  'POST /v1/inbound': inbound,
  'POST /v1/inbound/:channel': inbound,
  'GET /v1/events/stream': read(staff),
  'POST /v1/web/tickets': chat,
  'GET /v1/web/stream': web(staff),
  'GET /v1/web/ws': web(hands),

  'POST /v1/media': web(talkers),
  'GET /v1/media/:id': web(talkers),
  'DELETE /v1/media/:id': web(talkers),
  'GET /v1/media/:id/content': web(talkers),
  'PUT /v1/media/:id/content': web(talkers),
  'PATCH /v1/media/:id/content': web(talkers),
  'GET /v1/files/:id': web(talkers),
  'POST /v1/files/:id/url': web(talkers),

  'GET /v1/admin/auth/setup': open,
  'POST /v1/admin/auth/setup': open,
  'POST /v1/admin/auth/login': open,
  'POST /v1/admin/auth/set-password': open,
  'POST /v1/admin/auth/passkey/options': open,
  'POST /v1/admin/auth/passkey/login': open,
  'POST /v1/admin/auth/logout': own(),
  'GET /v1/admin/auth/session': own(),
  'POST /v1/admin/auth/confirm': own(),
  'POST /v1/admin/auth/confirm/options': own(),
  'GET /v1/admin/auth/sessions': own(),
  'POST /v1/admin/auth/sessions/revoke': own(),
  'POST /v1/admin/auth/password': own(),
  'POST /v1/admin/auth/workspace': own(),
  'GET /v1/admin/auth/factors': own(),
  'POST /v1/admin/auth/totp/begin': dangerous(own()),
  'POST /v1/admin/auth/totp/confirm': own(),
  'POST /v1/admin/auth/totp/remove': dangerous(own()),
  'POST /v1/admin/auth/recovery-codes': dangerous(own()),
  'GET /v1/admin/auth/passkeys': own(),
  'POST /v1/admin/auth/passkeys/register/options': dangerous(own()),
  'POST /v1/admin/auth/passkeys/register/verify': dangerous(own()),
  'POST /v1/admin/auth/passkeys/rename': own(),
  'POST /v1/admin/auth/passkeys/remove': dangerous(own()),

  'GET /v1/admin/own-keys': own(talkers),
  'POST /v1/admin/own-keys': dangerous(own(talkers)),
  'POST /v1/admin/own-keys/revoke': own(talkers),
  'GET /v1/admin/apikeys': read(inspectors),
  'GET /v1/admin/apikeys/:key_id': read(inspectors),
  'POST /v1/admin/apikeys': dangerous(write(heads)),
  'POST /v1/admin/apikeys/revoke': dangerous(write(heads)),
  'POST /v1/admin/apikeys/rotate': dangerous(write(heads)),

  'GET /v1/admin/operators': read(inspectors),
  'GET /v1/admin/operators/:operator_id': read(inspectors),
  'POST /v1/admin/operators': dangerous(people),
  'POST /v1/admin/operators/add': dangerous(people),
  'POST /v1/admin/operators/update': dangerous(people),
  'POST /v1/admin/operators/delete': dangerous(people),
  'POST /v1/admin/operators/reset-password': dangerous(people),
  'POST /v1/admin/operators/end-sessions': dangerous(people),
  'GET /v1/admin/workspaces': own(),
  'POST /v1/admin/workspaces': dangerous(own()),
  'POST /v1/admin/workspaces/rename': write(heads),

  'GET /v1/admin/agents': read(staff),
  'GET /v1/admin/agents/:agent_id': read(staff),
  'POST /v1/admin/agents': write(heads),
  'POST /v1/admin/agents/update': write(heads),
  'POST /v1/admin/agents/delete': write(heads),
  'GET /v1/admin/agents/versions': read(staff),
  'POST /v1/admin/agents/restore': write(heads),
  'GET /v1/admin/tools': read(staff),
  'GET /v1/admin/tools/grants': owners,
  'POST /v1/admin/tools/grants/set': dangerous(owners),

  'GET /v1/admin/channels': read(staff),
  'GET /v1/admin/channel-adapters': read(staff),
  'POST /v1/admin/channels': write(heads),
  'GET /v1/admin/channels/:name': read(staff),
  'PATCH /v1/admin/channels/:name': write(heads),
  'DELETE /v1/admin/channels/:name': write(heads),
  'POST /v1/admin/channels/:name/test': write(heads),
  'GET /v1/admin/channels/:name/bindings': read(staff),
  'POST /v1/admin/channels/:name/bindings': write(heads),
  'DELETE /v1/admin/channels/:name/bindings/:external_id': write(heads),

  'GET /v1/admin/alerts': read(staff),
  'POST /v1/admin/alerts/test': write(heads),
  'GET /v1/admin/alerts/rules': read(staff),
  'POST /v1/admin/alerts/rules/change': write(heads),
  'GET /v1/admin/alerts/silences': read(staff),
  'POST /v1/admin/alerts/silence': write(heads),
  'POST /v1/admin/alerts/unsilence': write(heads),
  'GET /v1/admin/subscriptions': read(staff),
  'POST /v1/admin/subscriptions': write(heads),
  'POST /v1/admin/subscriptions/update': write(heads),
  'POST /v1/admin/subscriptions/delete': write(heads),
  'POST /v1/admin/subscriptions/secret': dangerous(write(heads)),
  'POST /v1/admin/subscriptions/test': write(heads),
  'GET /v1/admin/subscriptions/deliveries': read(staff),
  'GET /v1/admin/subscriptions/deliveries/:delivery_id': read(staff),
  'POST /v1/admin/subscriptions/deliveries/retry': write(heads),
  'GET /v1/admin/media': read(staff),
  'GET /v1/admin/media/usage': read(staff),
  'POST /v1/admin/media/delete': write(hands),
  'GET /v1/admin/retention': read(staff),
  'GET /v1/admin/inbox': read(staff),
  'GET /v1/admin/inbox/count': read(staff),
  'GET /v1/admin/approvals': read(staff),
  'POST /v1/admin/approvals/decide': write(hands),
  'GET /v1/admin/turns': read(staff),
  'GET /v1/admin/turns/facets': read(staff),
  'GET /v1/admin/turns/:turn_id': read(staff),
  'POST /v1/admin/turns/cancel': write(hands),
  'GET /v1/admin/turns/steps': read(staff),
  'GET /v1/admin/turns/unknown-effects': read(staff),
  'POST /v1/admin/turns/unknown-effects/resolve': write(hands),

  'GET /v1/admin/deliveries': read(staff),
  'GET /v1/admin/deliveries/:id': read(staff),
  'POST /v1/admin/deliveries/:id/retry': write(hands),
  'POST /v1/admin/deliveries/:id/cancel': write(hands),
  'POST /v1/admin/deliveries/many': write(hands),

  'GET /v1/admin/overview': read(staff),
  'GET /v1/admin/about': read(staff),
  'GET /v1/admin/signals': read(staff),
  'GET /v1/admin/signals/series': read(staff),
  'GET /v1/admin/conversations': read(staff),
  'GET /v1/admin/conversations/facets': read(staff),
  'GET /v1/admin/conversations/:conversation_id': read(staff),
  'GET /v1/admin/conversations/messages': read(staff),
  'GET /v1/admin/conversations/export': read(staff),
  'GET /v1/admin/conversations/turns': read(staff),
  'POST /v1/admin/conversations/organize': write(hands),
  'POST /v1/admin/conversations/organize-many': write(hands),
  'POST /v1/admin/conversations/feedback': write(hands),
  'POST /v1/admin/conversations/post': write(hands),
  'POST /v1/admin/conversations/reset': write(hands),
  'POST /v1/admin/conversations/fork': write(hands),
  'POST /v1/admin/conversations/regenerate': write(hands),
  'POST /v1/admin/conversations/branch': write(hands),

  'GET /v1/admin/analytics': read(staff),
  'GET /v1/admin/budgets': read(staff),
  'POST /v1/admin/budgets/set': write(heads),
  'POST /v1/admin/budgets/remove': write(heads),
  'GET /v1/admin/prices': read(staff),
  'POST /v1/admin/prices/import': write(heads),
  'POST /v1/admin/prices/remove': write(heads),

  'GET /v1/admin/models/endpoints': read(staff),
  'POST /v1/admin/models/endpoints/set': dangerous(owners),
  'POST /v1/admin/models/endpoints/remove': dangerous(owners),
  'POST /v1/admin/models/endpoints/order': dangerous(owners),
  'POST /v1/admin/models/offered': write(heads),

  'GET /v1/admin/secrets': read(inspectors),
  'POST /v1/admin/secrets/set': dangerous(owners),
  'POST /v1/admin/secrets/remove': dangerous(owners),

  'GET /v1/admin/audit': read(inspectors),
  'GET /v1/admin/audit/export': read(inspectors),
  'GET /v1/admin/audit/verify': read(inspectors),
  'GET /v1/admin/actors': read(staff),
  'GET /v1/admin/nodes': read(staff),
  'GET /v1/admin/metrics': read(staff),
  'POST /v1/admin/nodes/drain': dangerous(owners),
  'GET /v1/admin/log': read(staff),
  'GET /v1/admin/log/stream': read(staff),
  'GET /v1/admin/settings': read(staff),
  'POST /v1/admin/settings': dangerous(write(heads)),
  'POST /v1/admin/settings/check': write(heads),
  'POST /v1/admin/settings/test-model': write(heads),

  'GET /metrics': open,
  'GET /healthz': open,
  'GET /readyz': open,
  'GET /v1/ping': open,
  'GET /v1/time': open,
  'POST /v1/client-log': open,
  'GET /openapi.json': open,

  'GET /saml/metadata': off,
  'POST /saml/acs': off,
  'GET /saml/login': off,
  'POST /v1/admin/scim/token': off,
  'GET /scim/v2/Users': off,
  'POST /scim/v2/Users': off,
  'GET /scim/v2/Users/:id': off,
  'PUT /scim/v2/Users/:id': off,
  'PATCH /scim/v2/Users/:id': off,
  'DELETE /scim/v2/Users/:id': off,
  'POST /v1/conversations': off,
  'GET /v1/conversations/:id': off,
  'POST /v1/conversations/:id': off,
  'DELETE /v1/conversations/:id': off,
  'GET /v1/conversations/:id/items': off,
  'POST /v1/conversations/:id/items': off,
  'GET /v1/conversations/:id/items/:item_id': off,
  'DELETE /v1/conversations/:id/items/:item_id': off,
  'POST /v1/oauth/token': off,
  'POST /v1/pairing/redeem': off,
  'POST /v1/pairing/device/validate': off,
  'POST /v1/mcp': off,
  'GET /.well-known/agent.json': off,
  'POST /a2a/message': off,
}

/**
 * In: anything but a refusal, a defect and too many, since the requests themselves are mostly not valid. Those are told as
 * they are: who meets them was not let in.
 */
type Verdict = 'in' | number

interface Credential {
  name: string
  headers: Record<string, string>
  query?: string
  /** Of a route that is not open and takes no inbound secret. */
  verdict(rule: Rule, isRead: boolean): Verdict
  isInbound?: true
  /** A page that may not sign anybody in either. */
  isStrangePage?: true
}

const inboundSecret = 'an inbound secret'
const actor = { workspaceId: firstWorkspaceId, name: 'test', ip: '', requestId: '' }
const clerkNetwork = '192.0.2.0/24'

let service: GatewayUnderTest
let cookieName: string
let made = 0
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'files-'))
  service = await gatewayUnderTest({
    SERVICE_MODERATION: 'off',
    SERVICE_INBOUND_SECRET: inboundSecret,
    SERVICE_BLOB_DIR: folder,
    SERVICE_COMPAT_KEY: 'words-of-our-own',
    // Each request has an address of its own: failed guesses are counted by address.
    SERVICE_TRUSTED_PROXIES: '127.0.0.1',
    SERVICE_LOG_LEVEL: 'error',
  })
  cookieName = `service-session-${(await readInstallationId(service.db)).replaceAll('-', '').slice(0, 12)}`
})
afterAll(async () => {
  connections.destroy()
  await service?.stop()
  await rm(folder, { recursive: true, force: true })
})

const bearer = (text: string) => ({ authorization: `Bearer ${text}` })

async function keyOf(scopes: NewApiKey['scopes'], more: Partial<NewApiKey> = {}): Promise<Record<string, string>> {
  const text = newKeyText()
  const id = newApiKeyId()
  const key = { id, workspaceId: firstWorkspaceId, name: 'k', kind: 'service', scopes, rateLimitRpm: null } as const
  const stored = { expiresAt: null, hash: Buffer.from(keyDigest(text), 'hex'), hint: keyHint(text), createdBy: 'test' }
  await createApiKey(service.db, { ...key, ...stored, scopes, ...more })
  if (more.name === 'revoked') await revokeApiKey(service.db, firstWorkspaceId, id, actor)
  return bearer(text)
}

async function operatorOf(role: OperatorRole): Promise<OperatorId> {
  const login = `${role}-${++made}`
  return createOperator(service.db, { login, name: '', passwordHash: null, role }, actor)
}

/** Of an operator who has no other session: what one credential does to its account does nothing to the others. */
async function sessionOf(role: OperatorRole, { expiresAt = new Date(Date.now() + 3_600_000), isStale = false } = {}) {
  const token = newSessionToken()
  const hash = Buffer.from(sessionDigest(token), 'hex')
  const operatorId = await operatorOf(role)
  const proof = { proofs: ['password'] as const, ip: '', userAgent: '' }
  await createSession(service.db, { hash, operatorId, workspaceId: firstWorkspaceId, expiresAt, ...proof }, actor)
  if (isStale)
    await service.db.system`
      update operator_sessions set confirmed_at = now() - interval '11 minutes' where hash = ${hash}`
  const origin = `http://127.0.0.1:${service.gateway.uiPort}`
  return { cookie: `${cookieName}=${token}`, origin, 'x-csrf-token': csrfTokenOf(token) }
}

async function ticket(): Promise<string> {
  const answer = await service.post('/v1/web/tickets', {})
  return ((await answer.json()) as { ticket: string }).ticket
}

const refused = (): Verdict => 401

/** A key with these scopes. */
function byScope(...scopes: string[]) {
  const wanted = {
    chat: 'chat',
    web: 'chat',
    read: 'admin:read',
    write: 'admin:write',
    people: 'operators:write',
    owners: '*',
  } as const
  return ({ kind }: Rule): Verdict => {
    if (kind === 'open' || kind === 'off' || kind === 'inbound' || kind === 'own') return 403
    return scopes.includes('*') || scopes.includes(wanted[kind]) ? 'in' : 403
  }
}

const byRole =
  (role: OperatorRole) =>
  ({ roles }: Rule): Verdict =>
    roles.includes(role) ? 'in' : 403

async function keys(): Promise<Credential[]> {
  const operatorId = await operatorOf('user')
  const gone = await operatorOf('user')
  const personal = { kind: 'personal' as const }
  const credentials: Credential[] = [
    { name: 'a user’s key', headers: await keyOf(['chat'], { ...personal, operatorId }), verdict: byScope('chat') },
    { name: 'a personal key *', headers: await keyOf(['*'], personal), verdict: byScope('chat') },
    {
      name: 'a disabled user’s key',
      headers: await keyOf(['chat'], { ...personal, operatorId: gone }),
      verdict: refused,
    },
    { name: 'a key chat', headers: await keyOf(['chat']), verdict: byScope('chat') },
    { name: 'a key admin:read', headers: await keyOf(['admin:read']), verdict: byScope('admin:read') },
    { name: 'a key admin:write', headers: await keyOf(['admin:write']), verdict: byScope('admin:write') },
    { name: 'a key operators:write', headers: await keyOf(['operators:write']), verdict: byScope('operators:write') },
    { name: 'a key a2a', headers: await keyOf(['a2a']), verdict: byScope('a2a') },
    { name: 'a key mcp', headers: await keyOf(['mcp']), verdict: byScope('mcp') },
    { name: 'a key *', headers: await keyOf(['*']), verdict: byScope('*') },
    { name: 'a revoked key', headers: await keyOf(['*'], { name: 'revoked' }), verdict: refused },
    { name: 'an expired key', headers: await keyOf(['*'], { expiresAt: new Date(0) }), verdict: refused },
    {
      name: 'a key from a wrong address',
      headers: await keyOf(['*'], { allowedIps: [clerkNetwork] }),
      verdict: () => 403,
    },
    {
      name: 'a key from its address',
      headers: { ...(await keyOf(['*'], { allowedIps: [clerkNetwork] })), 'x-forwarded-for': '192.0.2.9' },
      verdict: byScope('*'),
    },
    { name: 'the compatible key', headers: bearer('words-of-our-own'), verdict: byScope('chat') },
  ]
  await changeOperator(service.db, gone, { isDisabled: true }, actor, () => {})
  return credentials
}

async function sessions(): Promise<Credential[]> {
  const ofRoles = everybody.map(async (role) => ({
    name: `a session of the role ${role}`,
    headers: await sessionOf(role),
    verdict: byRole(role),
  }))
  const { 'x-csrf-token': _csrf, ...withoutToken } = await sessionOf('owner')
  const { origin: _origin, ...withoutOrigin } = await sessionOf('owner')
  const strange = { ...(await sessionOf('owner')), origin: 'https://evil.example.com' }
  const readsOnly = (_rule: Rule, isRead: boolean): Verdict => (isRead ? 'in' : 403)
  return [
    ...(await Promise.all(ofRoles)),
    { name: 'a session without its token', headers: withoutToken, verdict: readsOnly },
    { name: 'a session without an origin', headers: withoutOrigin, verdict: readsOnly },
    { name: 'a session from a strange page', headers: strange, verdict: readsOnly, isStrangePage: true },
    {
      name: 'a session whose proof is old',
      headers: await sessionOf('owner', { isStale: true }),
      verdict: ({ isDangerous }) => (isDangerous ? 403 : 'in'),
    },
    { name: 'an ended session', headers: await sessionOf('owner', { expiresAt: new Date(0) }), verdict: refused },
    {
      name: 'a session beside a wrong key',
      headers: { ...(await sessionOf('owner')), ...bearer(newKeyText()) },
      verdict: refused,
    },
  ]
}

async function others(): Promise<Credential[]> {
  const onWeb = ({ kind }: Rule): Verdict => (kind === 'web' ? 'in' : 401)
  return [
    { name: 'nothing', headers: {}, verdict: refused },
    { name: 'an unknown key', headers: bearer(newKeyText()), verdict: refused },
    {
      name: 'the inbound secret',
      headers: { 'x-service-inbound-secret': inboundSecret },
      verdict: refused,
      isInbound: true,
    },
    { name: 'a wrong inbound secret', headers: { 'x-service-inbound-secret': 'x' }, verdict: refused },
    { name: 'a ticket', headers: bearer(await ticket()), verdict: onWeb },
    { name: 'a ticket in the query', headers: {}, query: `?ticket=${await ticket()}`, verdict: onWeb },
  ]
}

function expected(credential: Credential, method: string, rule: Rule): Verdict {
  if (rule.kind === 'open') return 'in'
  if (rule.kind === 'off') return 501
  if (rule.kind === 'inbound') return credential.isInbound ? 'in' : 401
  return credential.verdict(rule, method === 'GET')
}

let address = 0

/** Node's own client: of three thousand requests each costs a third of what `fetch` takes. */
const connections = new Agent({ keepAlive: true, maxSockets: 32 })

function statusOf(method: string, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(`${service.url}${path}`, { method, headers, agent: connections }, (answer) => {
      resolve(answer.statusCode ?? 0)
      // Streams have no end; the connections of all others are used again.
      if (answer.headers['content-type']?.startsWith('text/event-stream')) answer.destroy()
      else answer.resume()
    })
    asked.on('error', reject)
    // No schema takes it: who gets in does no harm.
    asked.end(method === 'GET' ? undefined : 'null')
  })
}

/** A type that the route does not take is refused before anybody is looked up in the database. */
const typeOf = (method: string, path: string): string =>
  method === 'PATCH' && path.startsWith('/v1/media') ? 'application/offset+octet-stream' : 'application/json'

/** What is no defect there: said by the handler, to whom was let in. */
const mayAnswer: Record<string, readonly number[]> = {
  // One verification runs at a time, and here several ask at once.
  'GET /v1/admin/audit/verify': [429],
}

async function ask({ headers, query = '' }: Credential, method: string, path: string): Promise<Verdict> {
  const from = `10.${(++address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`
  const length: Record<string, string> =
    method === 'GET' ? {} : { 'content-type': typeOf(method, path), 'content-length': '4' }
  const status = await statusOf(method, `${path.replaceAll(/:\w+/g, 'x')}${query}`, {
    ...{ 'x-forwarded-for': from, ...length },
    ...headers,
  })
  const isOut = status === 401 || status === 403 || status === 429 || status >= 500
  return isOut && !mayAnswer[`${method} ${path}`]?.includes(status) ? status : 'in'
}

/** What was answered otherwise than the table says. */
async function walk(credential: Credential): Promise<string[]> {
  const wrong: string[] = []
  const last = 'POST /v1/admin/auth/logout'
  const names = [...Object.keys(table).filter((name) => name !== last), last]
  for (const name of names) {
    const [method = '', path = ''] = name.split(' ')
    const rule = table[name]
    // Signing in is refused by a handler there, which is another test's matter.
    if (!rule || (credential.isStrangePage && rule.kind === 'open')) continue
    const [got, wanted] = [await ask(credential, method, path), expected(credential, method, rule)]
    if (got !== wanted) wrong.push(`${name} with ${credential.name}: ${got} instead of ${wanted}`)
  }
  return wrong
}

test('the table here has every route, and no other', () => {
  expect(Object.keys(table).sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort())
})

test.each([
  ['keys', keys],
  ['sessions', sessions],
  ['nothing, tickets and secrets', others],
] as const)('every route lets in whom the table says, and nobody else: with %s', async (_name, credentials) => {
  const wrong = await Promise.all((await credentials()).map(walk))
  expect(wrong.flat()).toEqual([])
})
