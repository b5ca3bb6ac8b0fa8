/** Messages by webhook: the listener, and what it answers the bot API. */
import { request } from 'node:http'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DatabaseDown } from '../../../../store/errors.ts'
import { virtualClock } from '../../../support/virtual-clock.ts'
import { type BotServer, botServer, refuse, updateOf } from './support/bot-server.ts'
import { type OpenChannel, type OpenOptions, openChannel } from './support/open-channel.ts'

const webhookSecret = 'webhook_secret-of-the-test'
const publicUrl = 'https://bot.example.com/updates'

let server: BotServer
let channel: OpenChannel

beforeEach(async () => {
  server = await botServer()
})
afterEach(async () => {
  await channel.transport.close()
  await server.close()
})

function open(options: OpenOptions = {}): void {
  channel = openChannel(server.url, {
    config: { mode: 'webhook', webhook: { public_url: publicUrl, listen: '127.0.0.1:0' } },
    secrets: { webhook_secret: webhookSecret },
    ...options,
  })
}

async function connected(options: OpenOptions = {}): Promise<void> {
  open(options)
  await channel.connect()
}

const port = () => Number(channel.lines.findLast((line) => line.msg === 'the webhook listens')?.['port'])
const url = () => `http://127.0.0.1:${port()}/updates`
const contents = () => channel.taken.map((message) => message.content)

async function post(body: unknown, secret: string | null = webhookSecret): Promise<number> {
  const answer = await fetch(url(), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(secret !== null && { 'x-telegram-bot-api-secret-token': secret }),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  expect(await answer.text()).toBe('')
  return answer.status
}

describe('connecting', () => {
  it('listens, tells the bot API where and with which secret, and does not poll', async () => {
    await connected()
    expect(server.calls.map((call) => call.method)).toEqual(['getMe', 'setWebhook'])
    expect(server.of('setWebhook')[0]?.body).toEqual({
      url: publicUrl,
      secret_token: webhookSecret,
      allowed_updates: ['message'],
      drop_pending_updates: false,
    })
    expect(await post(updateOf(1, 'hello'))).toBe(200)
  })

  it('fails without a secret: whoever finds the listener could post messages', async () => {
    open({ secrets: {} })
    await expect(channel.connect()).rejects.toThrow('the mode webhook needs the secret webhook_secret')
    expect(server.of('setWebhook')).toHaveLength(0)
  })

  it('fails where the port is taken, and succeeds once it is free', async () => {
    await connected()
    const other = channel
    const listen = `127.0.0.1:${port()}`
    open({ config: { mode: 'webhook', webhook: { public_url: publicUrl, listen } } })
    await expect(channel.connect()).rejects.toThrow('EADDRINUSE')
    await other.transport.close()
    await channel.connect()
    expect(await post(updateOf(1, 'hello'))).toBe(200)
  })

  it('listens anew, on the same port, when the bot API refused it at first', async () => {
    await connected()
    const listen = `127.0.0.1:${port()}`
    await channel.transport.close()
    open({ config: { mode: 'webhook', webhook: { public_url: publicUrl, listen } } })
    server.script('setWebhook', refuse(400, 'Bad Request: bad webhook'))
    await expect(channel.connect()).rejects.toThrow('the bot API refused setWebhook (400): Bad Request: bad webhook')
    await channel.connect()
    expect(await post(updateOf(1, 'hello'))).toBe(200)
  })

  it('listens no more once it is closed', async () => {
    await connected()
    await channel.transport.close()
    await channel.transport.lost
    await expect(fetch(url())).rejects.toThrow()
  })

  it('is closed without waiting for an update in hand, which comes again', async () => {
    await connected({ take: () => new Promise(() => {}) })
    const posting = expect(post(updateOf(1, 'hello'))).rejects.toThrow()
    await expect.poll(() => channel.tried.length).toBe(1)
    await channel.transport.close()
    await posting
  })

  it('listens no more once its actor has stopped, also without being closed', async () => {
    open()
    const stopped = new AbortController()
    await channel.transport.connect(stopped.signal)
    stopped.abort()
    await channel.transport.lost
    await expect(fetch(url())).rejects.toThrow()
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

  it('is answered 500 where the database is away, and taken when it comes again', async () => {
    let isAway = true
    await connected({
      take: () => {
        if (isAway) throw new DatabaseDown('away')
      },
    })
    const update = updateOf(1, 'hello')
    expect(await post(update)).toBe(500)
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

  it('is answered 500 when it is not committed in time', async () => {
    const clock = virtualClock()
    await connected({ clock, take: () => new Promise(() => {}) })
    const posting = post(updateOf(1, 'hello'))
    await expect.poll(() => channel.tried.length).toBe(1)
    await clock.advance(30_000)
    expect(await posting).toBe(500)
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
    },
  )

  it('has another method, or no JSON', async () => {
    await connected()
    const headers = { 'x-telegram-bot-api-secret-token': webhookSecret }
    expect((await fetch(url(), { headers })).status).toBe(405)
    expect(await post('{"update_id":')).toBe(400)
    expect(await post('12')).toBe(400)
  })

  it('is larger than 1 MiB; one of exactly that is read', async () => {
    await connected()
    const update = JSON.stringify(updateOf(1, 'hello'))
    expect(await post(update + ' '.repeat(1_048_576 - Buffer.byteLength(update)))).toBe(200)
    expect(await post(update + ' '.repeat(1_048_577 - Buffer.byteLength(update)))).toBe(413)
    expect(contents()).toEqual(['hello'])
  })

  it('is larger than 1 MiB without saying so beforehand', async () => {
    await connected()
    expect(await postChunks(2)).toBe(413)
  })

  it('is not read for ever', async () => {
    await connected()
    // Cut off while it sends, it may not see the answer.
    expect([413, 'cut off']).toContain(await postChunks(15, { isEndless: true }).catch(() => 'cut off'))
  })

  it('harms nobody when it ends in the middle', async () => {
    await connected()
    const socket = connect(port(), '127.0.0.1')
    const head = `POST / HTTP/1.1\r\nhost: x\r\nx-telegram-bot-api-secret-token: ${webhookSecret}\r\ncontent-length: 100\r\n\r\n{"up`
    await new Promise<void>((resolve) => socket.write(head, () => resolve()))
    socket.destroy()
    await expect.poll(() => channel.lines.some((line) => line.msg.includes('webhook was not taken'))).toBe(true)
    expect(await post(updateOf(1, 'hello'))).toBe(200)
  })
})

/** Chunks of 600,000 bytes, and the end of the body where there is one. */
function postChunks(count: number, { isEndless = false } = {}): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const posting = request(url(), {
      method: 'POST',
      headers: { 'x-telegram-bot-api-secret-token': webhookSecret, 'transfer-encoding': 'chunked' },
    })
    posting.on('response', (response) => resolve(response.statusCode))
    posting.on('error', reject)
    for (let chunk = 0; chunk < count; chunk++) posting.write(' '.repeat(600_000))
    if (!isEndless) posting.end()
  })
}
