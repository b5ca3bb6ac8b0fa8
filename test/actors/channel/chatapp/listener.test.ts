/** The listener of the whole service: one port for all channels, opened by the first that needs it. */
import { connect, createServer } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../../../../bench/process/free-port.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../../support/gateway.ts'
import { completionOf, json } from '../../../support/model-endpoint.ts'
import { type BotServer, botServer, botToken, updateOf } from './support/bot-server.ts'

let server: BotServer
let port: number
let running: GatewayUnderTest

beforeAll(async () => {
  server = await botServer()
  port = await freePort()
  running = await gatewayUnderTest({
    SERVICE_INBOUND_REQUIRE_BINDING: 'false',
    CHATAPP_PUBLIC_URL: 'https://bots.example.com',
    SERVICE_CHATAPP_CONNECTOR_PORT: String(port),
  })
  running.endpoint.always((call) => json(completionOf('Good morning.'))(call))
})
afterAll(async () => {
  await running.stop()
  await server.close()
})

async function make(name: string, config: object = {}): Promise<{ status: number; id: string }> {
  const made = await running.post('/v1/admin/channels', {
    ...{ name, adapter: 'chatapp', secrets: { bot_token: botToken } },
    config: { api_base: server.url, ...config },
  })
  return { status: made.status, ...((await made.json()) as { id: string }) }
}

const connectionOf = async (name: string) => {
  const channel = await (await running.get(`/v1/admin/channels/${name}`)).json()
  return (channel as { connection: { status: string; last_error: string | null } }).connection
}

function isOpen(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

function post(path: string, secret: string, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret }
  return fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

it('is not open before a channel needs it: those that poll do not', async () => {
  expect(await make('polls', { mode: 'polling' })).toMatchObject({ status: 201 })
  await expect.poll(() => server.of('getUpdates').length).toBeGreaterThan(0)
  expect(await isOpen()).toBe(false)
})

it('is waited for while another program has the port, and the service runs', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve))
  await make('waits')
  await expect.poll(async () => (await connectionOf('waits')).last_error).toContain(`${port}; another process may hold`)
  expect((await running.get('/readyz')).status).toBe(200)
  expect(server.of('setWebhook')).toEqual([])
  await new Promise((resolve) => other.close(resolve))
  await expect.poll(async () => (await connectionOf('waits')).status, { timeout: 10_000 }).toBe('connected')
})

it('takes what is posted for each channel by its own path and secret, and answers in the chat', async () => {
  await make('second')
  await expect.poll(() => server.of('setWebhook').length).toBe(2)
  const told = server.of('setWebhook').map(({ body }) => ({
    path: String(body.url).replace('https://bots.example.com', ''),
    secret: String(body.secret_token),
  }))
  expect(new Set(told.flatMap(({ path, secret }) => [path, secret])).size).toBe(4)
  for (const [at, { path, secret }] of told.entries())
    expect((await post(path, secret, updateOf(at, 'hello', { chat: { id: 4_242 + at } }))).status).toBe(200)
  await expect
    .poll(() =>
      server
        .of('sendMessage')
        .map(({ body }) => body.chat_id)
        .sort(),
    )
    .toEqual([4_242, 4_243])
  const [first, second] = told
  expect((await post(first?.path ?? '', second?.secret ?? '', updateOf(9, 'hello'))).status).toBe(401)
  expect((await post('/v1/chat/completions', first?.secret ?? '', {})).status).toBe(404)
  expect(JSON.stringify(running.lines)).not.toContain(first?.secret)
})

it('is not in the gift of tenants: a channel that names an address to listen on is refused by the field', async () => {
  const made = await running.post('/v1/admin/channels', {
    ...{ name: 'own-port', adapter: 'chatapp', secrets: { bot_token: botToken } },
    config: { mode: 'webhook', webhook: { public_url: 'https://a.example.com', listen: '0.0.0.0:4444' } },
  })
  expect(made.status).toBe(400)
  expect(await made.text()).toMatch(/listen/)
})

it('is closed with the service', async () => {
  expect(await isOpen()).toBe(true)
  await running.stop()
  expect(await isOpen()).toBe(false)
})
