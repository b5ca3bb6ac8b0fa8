/** The token is part of the API's address: whatever a server says back, it reaches no error, no log and no message. */
import { createServer, type Server } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { virtualClock } from '../../../support/virtual-clock.ts'
import { noWebhook } from '../support/no-webhook.ts'
import { type BotAnswer, type BotServer, botServer, botToken, hang, updateOf } from './support/bot-server.ts'
import { deliveryOf, noSignal, type OpenChannel, openChannel } from './support/open-channel.ts'

const webhookSecret = 'webhook_secret-of-the-test'
const hiddenPart = botToken.slice(botToken.indexOf(':') + 1)

let server: BotServer | undefined
let channel: OpenChannel | undefined

afterEach(async () => {
  await channel?.transport.close()
  await server?.close()
})

/** All that is said of a failure, causes and hidden fields included. */
function everythingOf(...values: unknown[]): string {
  return values.map((value) => `${inspect(value, { depth: 12, showHidden: true })} ${String(value)}`).join('\n')
}

function expectNoSecret(text: string): void {
  const folded = text.toLowerCase()
  for (const secret of [botToken, encodeURIComponent(botToken), hiddenPart, webhookSecret])
    expect(folded).not.toContain(secret.toLowerCase())
}

async function failureOf(call: Promise<unknown> | undefined): Promise<unknown> {
  return call?.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: unknown) => error,
  )
}

/** Every call of the adapter, and what became of it. */
async function allFailures(base: string): Promise<string> {
  channel = openChannel(base, { secrets: { webhook_secret: webhookSecret } })
  const { transport } = channel
  const failures = [
    await failureOf(channel.connect()),
    await failureOf(transport.send(deliveryOf('hello'), noSignal())),
  ]
  await transport.typing?.('42', null)
  expect(failures.every((failure) => failure instanceof Error)).toBe(true)
  return everythingOf(...failures, JSON.stringify(channel.lines))
}

const echoes: [string, BotAnswer][] = [
  ['in its description', (call) => call.refuse(500, `no route ${call.path} for you`)],
  ['in its description, encoded', (call) => call.refuse(400, `no route ${encodeURIComponent(call.path)}`)],
  ['in its description, without its number', (call) => call.refuse(403, `the bot ${hiddenPart} is blocked`)],
  ['in its description, in capitals', (call) => call.refuse(403, call.path.toUpperCase())],
  ['at the cut of a long description', (call) => call.refuse(400, 'x'.repeat(190) + call.path)],
  [
    'with JSON escapes',
    (call) =>
      call.raw(
        400,
        `{"ok":false,"description":"${[...call.path].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('')}"}`,
      ),
  ],
  ['in a page', (call) => call.raw(404, `<html>no ${call.path}</html>`, { 'content-type': 'text/html' })],
  ['in a redirect', (call) => call.raw(301, '', { location: `http://127.0.0.1:1${call.path}` })],
  ['in a result that is none', (call) => call.ok(`you asked for ${call.path}`)],
  ['in a field of the wrong type', (call) => call.ok({ id: call.path, message_id: call.path })],
  ['in the name of a field', (call) => call.raw(200, JSON.stringify({ [call.path]: 1, ok: call.path }))],
]

describe('the token', () => {
  it.each(echoes)('is not repeated where a server says it %s', async (_where, answer) => {
    server = await botServer()
    for (const method of ['getMe', 'sendMessage', 'sendChatAction']) server.always(method, answer)
    expectNoSecret(await allFailures(server.url))
  })

  it('is not in the failure where nobody listens', async () => {
    expectNoSecret(await allFailures('http://127.0.0.1:1'))
    expectNoSecret(await allFailures('http://host-that-is-not-there.invalid'))
  })

  it('is not in the failure where the server speaks no HTTP', async () => {
    const garbage: Server = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', (head) => socket.end(`garbage ${head}`))
    })
    await new Promise<void>((resolve) => garbage.listen(0, '127.0.0.1', resolve))
    const { port } = garbage.address() as { port: number }
    expectNoSecret(await allFailures(`http://127.0.0.1:${port}`))
    expectNoSecret(await allFailures(`https://127.0.0.1:${port}`))
    await new Promise((resolve) => garbage.close(resolve))
  })

  it('is not in the failure where the server hangs up or says nothing', async () => {
    server = await botServer()
    for (const method of ['getMe', 'sendMessage', 'sendChatAction']) server.always(method, (call) => call.cut())
    expectNoSecret(await allFailures(server.url))
    const clock = virtualClock()
    server.always('getMe', hang)
    channel = openChannel(server.url, { clock })
    const failed = failureOf(channel.connect())
    await expect.poll(() => clock.timersWaiting).toBe(1)
    await clock.advance(15_000)
    expectNoSecret(everythingOf(await failed))
  })

  it('is not in the log, nor in the loss of the connection, where polls fail with it', async () => {
    server = await botServer()
    const clock = virtualClock()
    server.script(
      'getUpdates',
      (call) => call.raw(502, call.path),
      (call) => call.refuse(401, call.path),
    )
    channel = openChannel(server.url, { clock })
    await channel.connect()
    const lost = failureOf(channel.transport.lost)
    await expect.poll(() => channel?.lines.length).toBe(1)
    await clock.advance(1_000)
    expectNoSecret(everythingOf(await lost, JSON.stringify(channel.lines)))
    expect(String(await lost)).toContain('[redacted]')
  })

  it('is not in a message, even where a server or a user puts it there', async () => {
    server = await botServer()
    channel = openChannel(server.url)
    await channel.connect()
    server.push(updateOf(1, `is ${botToken} yours?`), updateOf(2, 'x', { from: { first_name: botToken } }))
    await expect.poll(() => channel?.taken.length).toBe(2)
    expectNoSecret(JSON.stringify([channel.taken, channel.lines]))
  })
})

describe("the webhook's secret", () => {
  it('is not repeated where a server says it', async () => {
    server = await botServer()
    server.always('setWebhook', (call) => call.refuse(400, `bad: ${JSON.stringify(call.body)}`))
    channel = openChannel(server.url, {
      config: { mode: 'webhook', webhook: { public_url: 'https://bot.example.com' } },
      secrets: { webhook_secret: webhookSecret },
      webhook: { ...noWebhook, receive: async () => () => {} },
    })
    const failure = await failureOf(channel.connect())
    expect(String(failure)).toContain('[redacted]')
    expectNoSecret(everythingOf(failure, JSON.stringify(channel.lines)))
  })
})
