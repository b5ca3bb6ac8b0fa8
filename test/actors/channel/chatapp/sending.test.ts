/** Answers on their way out, against a scripted bot API. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { DeliveryFailed } from '../../../../actors/channel/adapter.ts'
import { virtualClock } from '../../../support/virtual-clock.ts'
import { type BotServer, botServer, hang, refuse } from './support/bot-server.ts'
import { deliveryOf, noSignal, type OpenChannel, openChannel } from './support/open-channel.ts'

let server: BotServer
let channel: OpenChannel

beforeEach(async () => {
  server = await botServer()
  channel = openChannel(server.url)
})
afterEach(async () => {
  await channel.transport.close()
  await server.close()
})

const send = (delivery = deliveryOf('hello'), signal = noSignal()) => channel.transport.send(delivery, signal)
const failure = async (delivery = deliveryOf('hello')): Promise<DeliveryFailed> =>
  send(delivery).then(
    () => {
      throw new Error('it was sent')
    },
    (error: unknown) => error as DeliveryFailed,
  )
const texts = () => server.of('sendMessage').map((call) => call.body.text)
const long = (letters: string, length = 3_000) => [...letters].map((letter) => letter.repeat(length)).join('\n\n')

describe('sending an answer', () => {
  it('sends one message and hands its number back as the receipt', async () => {
    expect(await send()).toEqual({ statusCode: 200, receipt: '100' })
    expect(server.of('sendMessage').map((call) => call.body)).toEqual([{ chat_id: 42, text: 'hello' }])
  })

  it('replies to the message in a group, and does not insist that it is still there', async () => {
    const group = { externalId: '-100123', replyTo: { chat_id: -100_123, message_id: 9 } }
    await send(deliveryOf('hello', group))
    expect(server.of('sendMessage')[0]?.body).toEqual({
      chat_id: -100_123,
      text: 'hello',
      reply_parameters: { message_id: 9, allow_sending_without_reply: true },
    })
  })

  it('replies to nothing where the stored address is of another chat or not readable', async () => {
    await send(deliveryOf('one', { externalId: '-5', replyTo: { chat_id: -6, message_id: 9 } }))
    await send(deliveryOf('two', { externalId: '-5', replyTo: 'somewhere' }))
    await send(deliveryOf('three', { externalId: '-5', replyTo: null }))
    for (const call of server.of('sendMessage')) expect(call.body).not.toHaveProperty('reply_parameters')
  })

  it('sends a long answer as several messages in order, each within the limit', async () => {
    const delivery = deliveryOf(long('abc'), { externalId: '-1', replyTo: { chat_id: -1, message_id: 9 } })
    expect(await send(delivery)).toEqual({ statusCode: 200, receipt: '100,101,102' })
    expect(texts().join('')).toBe(delivery.text)
    for (const text of texts()) expect(text.length).toBeLessThanOrEqual(4_096)
    expect(server.of('sendMessage').map((call) => 'reply_parameters' in call.body)).toEqual([true, false, false])
  })

  it('waits for each message before it sends the next', async () => {
    const first = Promise.withResolvers<void>()
    server.script('sendMessage', async (call) => {
      await first.promise
      call.ok({ message_id: 1 })
    })
    const sending = send(deliveryOf(long('ab')))
    await expect.poll(() => server.of('sendMessage').length).toBe(1)
    await channel.transport.typing?.('42', null) // another call goes and comes meanwhile
    expect(server.of('sendMessage')).toHaveLength(1)
    first.resolve()
    expect((await sending).receipt).toBe('1,100')
  })

  it('does not send again in a retry what was sent before the failure', async () => {
    const delivery = deliveryOf(long('abcd'))
    const before = [...'ab'].map((letter) => `${letter.repeat(3_000)}\n\n`)
    server.script(
      'sendMessage',
      (call) => call.ok({ message_id: 1 }),
      (call) => call.ok({ message_id: 2 }),
      refuse(502, 'Bad Gateway'),
    )
    expect((await failure(delivery)).isFinal).toBe(false)
    expect(await send({ ...delivery, attempts: 1 })).toEqual({ statusCode: 200, receipt: '1,2,100,101' })
    expect(texts()).toEqual([...before, `${'c'.repeat(3_000)}\n\n`, `${'c'.repeat(3_000)}\n\n`, 'd'.repeat(3_000)])
  })

  it('remembers what was sent when the channel is opened anew', async () => {
    const delivery = deliveryOf(long('ab'))
    server.script('sendMessage', (call) => call.ok({ message_id: 1 }), refuse(500, 'Internal Server Error'))
    await failure(delivery)
    await channel.transport.close()
    channel = openChannel(server.url)
    expect((await send(delivery)).receipt).toBe('1,100')
  })

  it('sends nothing when all of a delivery is out already and only the record of it was lost', async () => {
    const delivery = deliveryOf('hello')
    const first = await send(delivery)
    expect(await send(delivery)).toEqual(first)
    expect(texts()).toEqual(['hello'])
  })

  it('leaves out messages of white space alone, which the bot API refuses', async () => {
    await send(deliveryOf(`${'a'.repeat(4_000)}${'\n'.repeat(9_000)}end`))
    for (const text of texts()) expect(text.trim()).not.toBe('')
    expect(texts().at(-1)?.trim()).toBe('end')
  })

  it('gives an answer without text up, and one that would fill the chat', async () => {
    expect(await failure(deliveryOf(' \n'))).toMatchObject({ isFinal: true, message: 'the answer has no text to send' })
    const flood = await failure(deliveryOf('x'.repeat(4_096 * 50 + 1)))
    expect(flood).toMatchObject({ isFinal: true, message: 'the answer would take 51 messages, and 50 are allowed' })
    expect(server.calls).toHaveLength(0)
  })

  it('replaces half a surrogate pair, which is no text', async () => {
    await send(deliveryOf('a\ud83db'))
    expect(texts()).toEqual(['a\ufffdb'])
  })
})

describe('an answer that is refused', () => {
  it.each([
    [400, 'Bad Request: chat not found'],
    [403, 'Forbidden: bot was blocked by the user'],
  ])('is given up at %i', async (code, description) => {
    server.script('sendMessage', refuse(code, description))
    expect(await failure()).toMatchObject({
      name: 'DeliveryFailed',
      isFinal: true,
      statusCode: code,
      message: `the bot API refused sendMessage (${code}): ${description}`,
    })
  })

  it.each([401, 404, 409, 500, 502, 503])('is tried again at %i', async (code) => {
    server.script('sendMessage', refuse(code, 'no'))
    expect(await failure()).toMatchObject({ isFinal: false, statusCode: code })
  })

  it('is tried again where something on the way says 403, and not the bot API', async () => {
    server.script('sendMessage', (call) => call.raw(403, '<html>forbidden</html>'))
    expect(await failure()).toMatchObject({ isFinal: false, statusCode: 403 })
  })

  it('is tried again after the time that the bot API asks for', async () => {
    server.script('sendMessage', refuse(429, 'Too Many Requests', { parameters: { retry_after: 17 } }))
    expect(await failure()).toMatchObject({ isFinal: false, statusCode: 429, retryAfterMs: 17_000 })
  })

  it('is tried again after the time in the header where the answer names none', async () => {
    server.script('sendMessage', (call) => call.raw(429, 'slow down', { 'retry-after': '3' }))
    expect(await failure()).toMatchObject({ isFinal: false, statusCode: 429, retryAfterMs: 3_000 })
  })

  it('waits for a day at most, whatever it is asked for', async () => {
    server.script('sendMessage', refuse(429, 'no', { parameters: { retry_after: 1e300 } }))
    expect((await failure()).retryAfterMs).toBe(86_400_000)
  })

  it('is tried again where the connection broke, the answer is no answer, or there is none', async () => {
    server.script(
      'sendMessage',
      (call) => call.cut(),
      (call) => call.raw(200, '<html>'),
      (call) => call.ok({ id: 'x' }),
    )
    const [cut, garbage, strange] = [await failure(), await failure(), await failure()]
    expect(cut).toMatchObject({ isFinal: false, statusCode: null })
    // At an internal address; of a public one it says what broke.
    expect(cut?.message).toBe('127.0.0.1 cannot be reached.')
    expect(garbage).toMatchObject({ isFinal: false, message: 'sendMessage got 200 and no answer of a bot API' })
    expect(strange).toMatchObject({ isFinal: false, statusCode: 200 })
  })

  it('does not follow a redirect', async () => {
    server.script('sendMessage', (call) => call.raw(302, '', { location: `${server.url}/elsewhere` }))
    expect((await failure()).message).toBe('sendMessage got 302 and a redirect, which is not followed')
    expect(server.calls).toHaveLength(1)
  })

  it('does not read an answer without end', async () => {
    server.script('sendMessage', (call) => call.raw(200, 'x'.repeat(17 * 1_048_576)))
    expect((await failure()).message).toBe('the answer to sendMessage is larger than 16777216 bytes')
  })

  it('is given up in time when the bot API says nothing', async () => {
    const clock = virtualClock()
    await channel.transport.close()
    channel = openChannel(server.url, { clock })
    server.script('sendMessage', hang)
    const failed = failure()
    await expect.poll(() => server.of('sendMessage').length).toBe(1)
    await clock.advance(15_000)
    expect(await failed).toMatchObject({ isFinal: false, message: 'no answer to sendMessage in 15 s' })
  })

  it('ends with the signal of whoever asked for it, and with the channel', async () => {
    server.always('sendMessage', hang)
    const halt = new AbortController()
    const sending = send(deliveryOf('one'), halt.signal)
    await expect.poll(() => server.of('sendMessage').length).toBe(1)
    halt.abort(new Error('enough'))
    await expect(sending).rejects.toThrow('enough')
    const other = send(deliveryOf('two'))
    await expect.poll(() => server.of('sendMessage').length).toBe(2)
    const closing = channel.transport.close()
    await expect(other).rejects.toThrow('the channel is closed')
    await closing
  })
})

describe('the sign that an answer is being made', () => {
  it('is a chat action', async () => {
    await channel.transport.typing?.('42', null)
    expect(server.of('sendChatAction').map((call) => call.body)).toEqual([{ chat_id: 42, action: 'typing' }])
  })

  it('fails without harm', async () => {
    server.script('sendChatAction', refuse(403, 'Forbidden'))
    await channel.transport.typing?.('42', null)
    expect(channel.lines.map((line) => line.msg)).toEqual(['typing could not be shown'])
  })
})
