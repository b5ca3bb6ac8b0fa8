/** An operator has a channel looked at: each part says whether it answers, nobody gets a message, and no secret is told. */
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hold, status, type WebhookReceiver, webhookReceiver } from '../../actors/channel/support/webhook-receiver.ts'
import { type GatewayUnderTest, gatewayUnderTest, testKey } from '../../support/gateway.ts'

let running: GatewayUnderTest
let receiver: WebhookReceiver
const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`

beforeAll(async () => {
  receiver = await webhookReceiver()
  running = await gatewayUnderTest({ SERVICE_INBOUND_REQUIRE_BINDING: 'false' })
})
afterAll(async () => {
  await running.stop()
  await receiver.close()
})

interface Tested {
  is_ok: boolean
  checks: { name: string; is_ok: boolean; words: string; duration_ms: number }[]
}

async function tested(channel: { name: string; [field: string]: unknown }): Promise<Tested> {
  const made = await running.post('/v1/admin/channels', channel)
  expect(made.status).toBe(201)
  return await testedAgain(channel.name)
}

async function testedAgain(name: string): Promise<Tested> {
  const answer = await running.post(`/v1/admin/channels/${name}/test`, {})
  expect(answer.status).toBe(200)
  return (await answer.json()) as Tested
}

/** A port on which nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

test('a webhook gets a signed test that is no message, and what it answers is told', async () => {
  const config = { url: receiver.url }
  const { is_ok, checks } = await tested({
    ...{ name: 'shop', adapter: 'generic', config, secrets: { signing_secret: secret } },
  })
  expect(is_ok).toBe(true)
  expect(checks).toEqual([
    { name: 'webhook', is_ok: true, words: 'the receiver answered 204', duration_ms: expect.any(Number) },
  ])
  const [got] = receiver.received
  expect(JSON.parse(got?.raw ?? '')).toMatchObject({ type: 'channel.test', data: { channel: 'shop' } })
  expect(got?.headers['webhook-id']).toMatch(/^test_/)
  expect(got?.headers['webhook-signature']).toMatch(/^v1,/)

  receiver.script(status(401))
  expect(await testedAgain('shop')).toMatchObject({
    ...{ is_ok: false, checks: [{ is_ok: false, words: 'the receiver answered 401' }] },
  })
  expect((await running.get('/v1/admin/deliveries')).status).toBe(200)
  expect(await running.db.system`select id from deliveries`).toEqual([])
})

test('a client that hangs up while the other side says nothing ends the test', async () => {
  receiver.script(hold)
  const leaving = new AbortController()
  const asked = running.post('/v1/admin/channels/shop/test', {}, {}, leaving.signal)
  await expect.poll(() => receiver.held).toBe(1)
  leaving.abort()
  await expect(asked).rejects.toThrow()
  await expect.poll(() => receiver.held).toBe(0)
})

test('what does not answer is named with the reason, part by part', async () => {
  const port = await closedPort()
  const mail = await tested({
    name: 'mail',
    adapter: 'email',
    is_enabled: false,
    config: {
      smtp: { host: '127.0.0.1', port, from: 'agent@example.com' },
      imap: { host: '127.0.0.1', port, secure: false, user: 'agent@example.com' },
    },
    secrets: { imap_password: 'password-of-the-mailbox' },
  })
  expect(mail.is_ok).toBe(false)
  expect(mail.checks.map(({ name, is_ok }) => [name, is_ok])).toEqual([
    ['smtp', false],
    ['imap', false],
  ])
  for (const { words } of mail.checks) expect(words).toContain('127.0.0.1 cannot be reached.')

  const token = `1234:${'t'.repeat(32)}`
  const chat = await tested({
    ...{ name: 'chat', adapter: 'chatapp', is_enabled: false, secrets: { bot_token: token } },
    config: { api_base: `http://127.0.0.1:${port}` },
  })
  expect(chat.checks[0]).toMatchObject({ name: 'bot_api', is_ok: false })
  expect(chat.checks[0]?.words).toBe('127.0.0.1 cannot be reached.')
  expect(JSON.stringify(running.lines)).toContain('ECONNREFUSED')
  expect(JSON.stringify([mail, chat, running.lines])).not.toMatch(/password-of-the-mailbox|tttt/)
})

test('what speaks no HTTP at an internal port is told apart from a closed port in the log only', async () => {
  const mail = createServer((socket) => socket.end('220 mail.example.com ESMTP\r\n'))
  await new Promise<void>((resolve) => mail.listen(0, '127.0.0.1', resolve))
  const { port } = mail.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const webhook = await tested({ name: 'to-mail', adapter: 'generic', is_enabled: false, config: { url } })
  const bot = await tested({
    ...{ name: 'bot-mail', adapter: 'chatapp', is_enabled: false, secrets: { bot_token: `1234:${'t'.repeat(32)}` } },
    config: { api_base: url },
  })
  mail.close()
  for (const { checks } of [webhook, bot]) expect(checks[0]?.words).toBe('127.0.0.1 cannot be reached.')
  expect(JSON.stringify(running.lines)).toContain('HTTPParserError')
})

test('a channel whose answers are read from the feed has nothing to connect to', async () => {
  expect(await tested({ name: 'feed', adapter: 'generic' })).toEqual({ is_ok: true, checks: [] })
  expect((await running.post('/v1/admin/channels/nowhere/test', {})).status).toBe(404)
})

test('a channel shows whether it is connected, and why not', async () => {
  const connectionOf = async (name: string) => {
    const channel = (await (await running.get(`/v1/admin/channels/${name}`)).json()) as {
      connection: { status: string; since: string | null; last_error: string | null }
    }
    return channel.connection
  }
  await expect.poll(async () => (await connectionOf('shop')).status).toBe('connected')
  expect(await connectionOf('feed')).toEqual({ status: 'none', since: null, last_error: null })
  expect((await connectionOf('mail')).status).toBe('none')
  const patch = (body: object) =>
    fetch(`${running.url}/v1/admin/channels/mail`, {
      ...{ method: 'PATCH', headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' } },
      body: JSON.stringify(body),
    })
  expect((await patch({ is_enabled: true })).status).toBe(200)
  await expect.poll(async () => (await connectionOf('mail')).status).toBe('waiting')
  expect((await connectionOf('mail')).last_error).toContain('cannot be reached')
  expect((await patch({ is_enabled: false })).status).toBe(200)
  await expect.poll(async () => (await connectionOf('mail')).status).toBe('none')
})

test('nothing inside is reached without the owner’s leave, and the words tell nothing of it', async () => {
  const strict = await gatewayUnderTest({ SERVICE_OUTGOING_ALLOWLIST: '' })
  try {
    const port = await closedPort()
    const before = receiver.received.length
    const server = { host: '127.0.0.1', port }
    const destinations: [string, object][] = [
      ['generic', { config: { url: receiver.url } }],
      ['generic', { config: { url: `http://127.0.0.1:${port}/` } }],
      ['chatapp', { config: { api_base: `http://127.0.0.1:${port}` }, secrets: { bot_token: '1:a-token-of-nobody' } }],
      ['email', { config: { smtp: { ...server, from: 'a@example.com' } }, secrets: {} }],
    ]
    const words: string[] = []
    for (const [at, [adapter, more]] of destinations.entries()) {
      const made = await strict.post('/v1/admin/channels', { name: `c${at}`, adapter, ...more })
      expect(made.status, await made.text()).toBe(201)
      const answer = await strict.post(`/v1/admin/channels/c${at}/test`, {})
      const { is_ok, checks } = (await answer.json()) as Tested
      expect(is_ok).toBe(false)
      words.push(...checks.map((check) => check.words))
    }
    // Open and closed ports are told alike.
    expect(words[0]).toBe(words[1])
    for (const each of words) expect(each).toContain('127.0.0.1 is refused: its address is not one that may be called')
    expect(receiver.received).toHaveLength(before)
  } finally {
    await strict.stop()
  }
})
