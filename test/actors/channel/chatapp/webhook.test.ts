/** Messages by webhook: what the listener answers the bot API, and what each channel tells it. */
import { request } from 'node:http'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { webhookDirectory } from '../../../../actors/channel/webhooks.ts'
import { postUpdate } from '../../../../http/chatapp/post-update.ts'
import { createMetrics } from '../../../../runtime/telemetry/metrics.ts'
import { DatabaseDown } from '../../../../store/errors.ts'
import { newChannelId } from '../../../../store/id.ts'
import { type TestGateway, testGateway } from '../../../http/support/server.ts'
import { type VirtualClock, virtualClock } from '../../../support/virtual-clock.ts'
import { type BotServer, botServer, refuse, updateOf } from './support/bot-server.ts'
import { type OpenChannel, type OpenOptions, openChannel } from './support/open-channel.ts'

const webhookSecret = 'webhook_secret-of-the-test'
const publicUrl = 'https://bots.example.com/base'
const id = newChannelId()

let server: BotServer
let channel: OpenChannel
let listener: TestGateway
let metrics: ReturnType<typeof createMetrics>
let webhooks: ReturnType<typeof webhookDirectory>

beforeEach(async () => {
  server = await botServer()
  await listen()
})
afterEach(async () => {
  await channel?.transport.close()
  await listener.stop()
  await server.close()
})

async function listen(clock?: VirtualClock): Promise<void> {
  await listener?.stop()
  metrics = createMetrics()
  webhooks = webhookDirectory({ publicUrl: `${publicUrl}/`, masterKey: () => ({ bytes: Buffer.alloc(32, 7) }) })
  webhooks.listenBy(() => {})
  const app = { services: { webhooks } as never, metrics }
  listener = await testGateway([postUpdate], { app, ...(clock && { clock }) })
}

function open(options: OpenOptions = {}): void {
  channel = openChannel(server.url, {
    secrets: { webhook_secret: webhookSecret },
    webhook: webhooks.of(id),
    ...options,
  })
}

async function connected(options: OpenOptions = {}): Promise<void> {
  open(options)
  await channel.connect()
}

const path = `/chatapp/${id}`
const url = () => `${listener.url}${path}`
const contents = () => channel.taken.map((message) => message.content)

async function posted(body: unknown, secret: string | null = webhookSecret, at = url()): Promise<Response> {
  return await fetch(at, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(secret !== null && { 'x-telegram-bot-api-secret-token': secret }),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}
const post = async (...given: Parameters<typeof posted>): Promise<number> => (await posted(...given)).status

describe('connecting', () => {
  it('tells the bot API where to post and with which secret, and does not poll', async () => {
    await connected()
    expect(server.calls.map((call) => call.method)).toEqual(['getMe', 'setWebhook'])
    expect(server.of('setWebhook')[0]?.body).toEqual({
      url: `${publicUrl}${path}`,
      secret_token: webhookSecret,
      allowed_updates: ['message'],
      drop_pending_updates: false,
    })
    expect(await post(updateOf(1, 'hello'))).toBe(200)
  })

  it('makes a secret where the channel has none: the same at every start, another for each channel', async () => {
    await connected({ secrets: {} })
    const [told] = server.of('setWebhook')
    expect(told?.body.secret_token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(await post(updateOf(1, 'hello'), told?.body.secret_token)).toBe(200)
    expect(webhooks.of(id).madeSecret).toBe(told?.body.secret_token)
    expect(webhooks.of(newChannelId()).madeSecret).not.toBe(told?.body.secret_token)
  })

  it('prefers what the channel says: its own address, and its own mode', async () => {
    await connected({ config: { mode: 'webhook', webhook: { public_url: 'https://other.example.com/' } } })
    expect(server.of('setWebhook')[0]?.body.url).toBe(`https://other.example.com${path}`)
    await channel.transport.close()
    await connected({ config: { mode: 'polling' } })
    expect(server.calls.slice(2, 4).map((call) => call.method)).toEqual(['getMe', 'deleteWebhook'])
  })

  it('fails where nothing says how the bot API reaches the listener', async () => {
    open({ config: { mode: 'webhook' }, webhook: { ...webhooks.of(id), publicUrl: undefined } })
    await expect(channel.connect()).rejects.toThrow('CHATAPP_PUBLIC_URL')
    expect(server.of('setWebhook')).toHaveLength(0)
  })

  it('fails where the listener cannot be opened, and succeeds once it can', async () => {
    let isTaken = true
    webhooks = webhookDirectory({ publicUrl, masterKey: () => ({ bytes: Buffer.alloc(32) }) })
    webhooks.listenBy(() => {
      if (isTaken) throw new Error('cannot listen on *:8091; another process may hold the port')
    })
    open()
    await expect(channel.connect()).rejects.toThrow('cannot listen on *:8091')
    expect(server.of('setWebhook')).toHaveLength(0)
    isTaken = false
    await channel.connect()
  })

  it('waits for the listener, and no longer than for its own end', async () => {
    webhooks = webhookDirectory({ publicUrl, masterKey: () => ({ bytes: Buffer.alloc(32) }) })
    open()
    const connecting = expect(channel.connect()).rejects.toThrow('the channel is closed')
    await expect.poll(() => server.of('getMe').length).toBe(1)
    await channel.transport.close()
    await connecting
  })

  it('succeeds after the bot API refused it at first', async () => {
    open()
    server.script('setWebhook', refuse(400, 'Bad Request: bad webhook'))
    await expect(channel.connect()).rejects.toThrow('the bot API refused setWebhook (400): Bad Request: bad webhook')
    await channel.connect()
    expect(await post(updateOf(1, 'hello'))).toBe(200)
  })

  it('takes nothing more once it is closed, or its actor has stopped', async () => {
    await connected()
    await channel.transport.close()
    await channel.transport.lost
    expect(await post(updateOf(1, 'hello'))).toBe(401)
    open()
    const stopped = new AbortController()
    await channel.transport.connect(stopped.signal)
    expect(await post(updateOf(1, 'hello'))).toBe(200)
    stopped.abort()
    await channel.transport.lost
    expect(await post(updateOf(2, 'hello'))).toBe(401)
  })

  it('is not ended by the end of an earlier connection of the same channel', async () => {
    await connected()
    const before = channel
    await connected()
    await before.transport.close()
    expect(await post(updateOf(1, 'hello'))).toBe(200)
    expect(contents()).toEqual(['hello'])
  })
})

describe('an update that is posted', () => {
  it('is answered 200 only once its message is committed', async () => {
    const commit = Promise.withResolvers<void>()
    await connected({ take: () => commit.promise })
    let status = 0
    const posting = post(updateOf(1, 'hello')).then((answered) => {
      status = answered
    })
    await expect.poll(() => channel.tried.length).toBe(1)
    expect(status).toBe(0)
    commit.resolve()
    await posting
    expect(status).toBe(200)
    expect(contents()).toEqual(['hello'])
  })

  it('is answered 503 where the database is away, and taken when it comes again', async () => {
    let isAway = true
    await connected({
      take: () => {
        if (isAway) throw new DatabaseDown('away')
      },
    })
    const update = updateOf(1, 'hello')
    expect(await post(update)).toBe(503)
    isAway = false
    expect(await post(update)).toBe(200)
    expect(contents()).toEqual(['hello'])
  })

  it('is answered 500 where nobody knows what the failure means', async () => {
    await connected({
      take: () => {
        throw new TypeError('undefined is not a function')
      },
    })
    expect(await post(updateOf(1, 'hello'))).toBe(500)
  })

  it('is answered 200, logged and skipped where the database refuses the message itself', async () => {
    await connected({
      take: () => {
        throw Object.assign(new Error('invalid input'), { code: '22021' })
      },
    })
    expect(await post(updateOf(1, 'poison'))).toBe(200)
    expect(channel.lines.some((line) => line.msg === 'a message cannot be taken and is skipped')).toBe(true)
  })

  it('is answered 200 where there is nothing in it to take', async () => {
    await connected()
    expect(await post({ update_id: 1, edited_message: {} })).toBe(200)
    expect(await post({ unknown: true })).toBe(200)
    expect(channel.tried).toEqual([])
  })

  it('is answered 504 when it is not committed in time', async () => {
    const clock = virtualClock()
    await listen(clock)
    await connected({ clock, take: () => new Promise(() => {}) })
    const posting = post(updateOf(1, 'hello'))
    await expect.poll(() => channel.tried.length).toBe(1)
    await clock.advance(31_000)
    expect(await posting).toBe(504)
  })

  it('is answered 503 while too many are in hand', async () => {
    const commit = Promise.withResolvers<void>()
    await connected({ take: () => commit.promise })
    const posting = Array.from({ length: 128 }, (_, at) => post(updateOf(at, 'hello')))
    await expect.poll(() => channel.tried.length).toBe(128)
    expect(await post(updateOf(200, 'one more'))).toBe(503)
    commit.resolve()
    expect(new Set(await Promise.all(posting))).toEqual(new Set([200]))
    expect(await post(updateOf(200, 'one more'))).toBe(200)
  })
})

describe('a post that is refused', () => {
  it.each([null, '', 'webhook_secret-of-the-tesT', `${webhookSecret}x`, webhookSecret.slice(0, -1)])(
    'has no business here: secret %j',
    async (secret) => {
      await connected()
      expect(await post(updateOf(1, 'hello'), secret)).toBe(401)
      expect(channel.tried).toEqual([])
      expect(await refusedPosts()).toBe(1)
    },
  )

  it('is for a channel that is not there, or not with this secret: told apart by nothing', async () => {
    await connected()
    const answerOf = async (at: string, secret: string) => {
      const answer = await posted(updateOf(1, 'hello'), secret, `${listener.url}${at}`)
      return [answer.status, await answer.text(), answer.headers.get('www-authenticate')]
    }
    const wrong = await answerOf(path, 'a-secret-of-somebody-else')
    expect(wrong[0]).toBe(401)
    expect(await answerOf(`/chatapp/${newChannelId()}`, webhookSecret)).toEqual(wrong)
    expect(await answerOf('/chatapp/x', webhookSecret)).toEqual(wrong)
    expect(await refusedPosts()).toBe(3)
    expect((await posted(updateOf(1, 'hello'), webhookSecret, `${listener.url}/v1/ping`)).status).toBe(404)
  })

  it('is for another channel: each has its own secret, and its own room', async () => {
    const commit = Promise.withResolvers<void>()
    await connected({ take: () => commit.promise })
    const first = channel
    const posting = Array.from({ length: 128 }, (_, at) => post(updateOf(at, 'hello')))
    await expect.poll(() => first.tried.length).toBe(128)
    const otherId = newChannelId()
    const other = openChannel(server.url, { webhook: webhooks.of(otherId) })
    await other.connect()
    const at = `${listener.url}/chatapp/${otherId}`
    expect(await post(updateOf(1, 'hello'), webhooks.of(otherId).madeSecret, at)).toBe(200)
    expect(await post(updateOf(1, 'hello'), webhookSecret, at)).toBe(401)
    commit.resolve()
    await Promise.all(posting)
    await other.transport.close()
  })

  it('has another method, or no JSON', async () => {
    await connected()
    const headers = { 'x-telegram-bot-api-secret-token': webhookSecret }
    expect((await fetch(url(), { headers })).status).toBe(405)
    expect((await fetch(url(), { method: 'POST', headers, body: '{}' })).status).toBe(415)
    expect(await post('{"update_id":')).toBe(400)
    expect(await post('12')).toBe(400)
  })

  it('has more values than anything sensible, which are counted before they are parsed', async () => {
    await connected()
    expect(await post(`{"update_id":1,"message":{"photo":[${'0,'.repeat(400_000)}0]}}`)).toBe(400)
    expect(channel.tried).toEqual([])
  })

  it('is larger than 1 MiB; one of exactly that is read', async () => {
    await connected()
    const update = JSON.stringify(updateOf(1, 'hello'))
    expect(await post(update + ' '.repeat(1_048_576 - Buffer.byteLength(update)))).toBe(200)
    expect(await post(update + ' '.repeat(1_048_577 - Buffer.byteLength(update)))).toBe(413)
    expect(contents()).toEqual(['hello'])
  })

  it('comes in chunks: how large it is stands nowhere', async () => {
    await connected()
    expect(await postChunks(1)).toBe(411)
  })

  it('harms nobody when it ends in the middle', async () => {
    await connected()
    const socket = connect(listener.port, '127.0.0.1')
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nx-telegram-bot-api-secret-token: ${webhookSecret}\r\ncontent-length: 100\r\n\r\n{"up`
    await new Promise<void>((resolve) => socket.write(head, () => resolve()))
    socket.destroy()
    await expect.poll(() => listener.gateway.running).toBe(0)
    expect(await post(updateOf(1, 'hello'))).toBe(200)
  })
})

/** Chunks of 600,000 bytes. */
function postChunks(count: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const posting = request(url(), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-telegram-bot-api-secret-token': webhookSecret,
        'transfer-encoding': 'chunked',
      },
    })
    posting.on('response', (response) => resolve(response.statusCode))
    posting.on('error', reject)
    for (let chunk = 0; chunk < count; chunk++) posting.write(' '.repeat(600_000))
    posting.end()
  })
}

async function refusedPosts(): Promise<number> {
  const [value] = (await metrics.counter('service_webhook_posts_refused_total').get()).values
  return value?.value ?? 0
}
