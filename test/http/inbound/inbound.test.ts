/** Messages of channels over HTTP: what is taken, once, what is refused, and what a batch says of each of its items. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Channel } from '../../../actors/channel/channels.ts'
import { ofMessage } from '../../../actors/channel/take.ts'
import { idFrom } from '../../../store/id.ts'
import { type GatewayUnderTest, gatewayUnderTest, testKey } from '../../support/gateway.ts'

let running: GatewayUnderTest

beforeAll(async () => {
  running = await gatewayUnderTest({ SERVICE_INBOUND_REQUIRE_BINDING: 'false' })
  for (const name of ['shop', 'other'])
    expect((await running.post('/v1/admin/channels', { name, adapter: 'generic' })).status).toBe(201)
})
afterAll(() => running.stop())

interface Answered {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: whatever the answer holds
  body: any
}

/** Without a key: connectors have none. */
async function inbound(body: unknown, headers: Record<string, string> = {}, path = '/v1/inbound'): Promise<Answered> {
  const answer = await fetch(`${running.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: answer.status, headers: answer.headers, body: await answer.json() }
}

const lines = { 'content-type': 'application/x-ndjson' }

let sender = ''
let senders = 0
beforeEach(() => {
  sender = `sender-${senders++}`
})

const envelope = (more: object = {}) => ({ channel: 'shop', external_id: sender, text: 'hello', ...more })

async function stored(of = sender): Promise<unknown[]> {
  const rows = await running.db.system<{ content: unknown }>`
    select body->'content' as content from messages join conversations on conversations.id = conversation_id
    where external_id = ${of} and role = 'user' order by seq`
  return rows.map(({ content }) => content)
}

async function change(name: string, body: object): Promise<void> {
  const answer = await fetch(`${running.url}/v1/admin/channels/${name}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(answer.status).toBe(200)
}

describe('an envelope', () => {
  test('is taken: what is answered is stored', async () => {
    const { status, headers, body } = await inbound(envelope())
    expect(status).toBe(202)
    expect(body).toEqual({
      disposition: 'accepted',
      message_id: expect.stringMatching(/^msg_/),
      conversation_id: expect.stringMatching(/^conv_/),
    })
    expect(headers.get('idempotent-replayed')).toBeNull()
    expect(await stored()).toEqual(['hello'])
    const again = await inbound(envelope({ text: 'again' }))
    expect(again.body.conversation_id).toBe(body.conversation_id)
    expect(again.body.message_id).not.toBe(body.message_id)
  })

  test('may leave its channel to the path, and may not name another one', async () => {
    const { channel: _, ...rest } = envelope()
    expect((await inbound(rest, {}, '/v1/inbound/shop')).status).toBe(202)
    expect((await inbound(envelope(), {}, '/v1/inbound/shop')).status).toBe(202)
    const refused = await inbound(envelope(), {}, '/v1/inbound/other')
    expect([refused.status, refused.body.error.param]).toEqual([400, 'channel'])
    expect((await inbound(rest)).status).toBe(400)
    expect(await stored()).toEqual(['hello', 'hello'])
  })

  test.each([
    ['external_id', { external_id: '' }],
    ['external_id', { external_id: 'anna\u0000' }],
    ['external_id', { external_id: 'an\u0007na' }],
    ['external_id', { external_id: 'anna\ud800' }],
    ['message_id', { message_id: 'm\u0000' }],
    ['text', { text: 7 }],
    ['text', { text: 'x'.repeat(100_001) }],
    ['message_id', { message_id: 'x'.repeat(256) }],
    ['attachments[0].url', { attachments: [{ url: 'file:///etc/passwd' }] }],
    ['attachments', { attachments: Array.from({ length: 21 }, () => ({ url: 'https://example.com/a' })) }],
  ])('with a %s that cannot be is refused by its name', async (param, wrong) => {
    const { status, body } = await inbound(envelope(wrong))
    expect([status, body.error.param]).toEqual([400, param])
    expect(await stored()).toEqual([])
  })

  test('of a channel that is unknown or off is not found', async () => {
    expect((await inbound(envelope({ channel: 'nowhere' }))).status).toBe(404)
    await change('other', { is_enabled: false })
    expect((await inbound(envelope({ channel: 'other' }))).status).toBe(404)
    await change('other', { is_enabled: true })
    expect((await inbound(envelope({ channel: 'other' }))).status).toBe(202)
  })

  test('keeps what its channel says of it besides, and tells the model nothing of that', async () => {
    const metadata = { order: '4711' }
    const occurred_at = '2026-01-02T03:04:05+01:00'
    const { body } = await inbound(envelope({ text: 'late', metadata, occurred_at }))
    const path = `/v1/admin/conversations/messages?id=${body.conversation_id}`
    const { messages } = (await (await running.get(path)).json()) as { messages: { details: unknown }[] }
    expect(messages[0]).toMatchObject({ content: 'late', details: { metadata, occurred_at } })
    const asked = () => running.endpoint.requests.flatMap(({ body: asking }) => asking.messages)
    await expect.poll(asked).toContainEqual({ role: 'user', content: 'late' })
  })

  test('with attachments reaches the model as parts', async () => {
    const image = 'https://example.com/cat.png'
    const plan = { url: 'https://example.com/plan.pdf', name: 'plan.pdf', content_type: 'application/pdf' }
    await inbound(envelope({ text: 'look', attachments: [{ url: image, content_type: 'image/png' }, plan] }))
    const parts = [
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: image } },
      { type: 'text', text: '[attachment] plan.pdf (application/pdf): https://example.com/plan.pdf' },
    ]
    const asked = () => running.endpoint.requests.flatMap(({ body }) => body.messages)
    await expect.poll(asked).toContainEqual({ role: 'user', content: parts })
    expect(await stored()).toEqual([parts])
  })
})

describe('a message_id', () => {
  test('that came before is answered as the first time, whatever else differs', async () => {
    const first = await inbound(envelope({ message_id: 'm1', text: 'first' }))
    const second = await inbound(envelope({ message_id: 'm1', text: 'edited' }))
    expect([second.status, second.body]).toEqual([202, first.body])
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(await stored()).toEqual(['first'])
  })

  test('counts for its channel, and is stronger than an Idempotency-Key', async () => {
    const first = await inbound(envelope({ message_id: 'm2' }), { 'idempotency-key': 'a' })
    const elsewhere = await inbound(envelope({ message_id: 'm2', channel: 'other' }))
    expect(elsewhere.body.message_id).not.toBe(first.body.message_id)
    const again = await inbound(envelope({ message_id: 'm2', text: 'other' }), { 'idempotency-key': 'b' })
    expect(again.body).toEqual(first.body)
  })

  test('that comes many times at once is taken once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, at) => inbound(envelope({ message_id: 'm3', text: `copy ${at}` }))),
    )
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.message_id}`)).size).toBe(1)
    expect(await stored()).toHaveLength(1)
  })
})

describe('an Idempotency-Key', () => {
  test('with the same body is answered as the first time', async () => {
    const first = await inbound(envelope(), { 'idempotency-key': 'k1' })
    const second = await inbound(envelope(), { 'idempotency-key': 'k1' })
    expect([second.status, second.body]).toEqual([202, first.body])
    expect([first, second].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true'])
    expect(await stored()).toEqual(['hello'])
  })

  test('with another body is a conflict, and nothing is stored', async () => {
    await inbound(envelope(), { 'idempotency-key': 'k2' })
    const { status, body } = await inbound(envelope({ text: 'other' }), { 'idempotency-key': 'k2' })
    expect([status, body.error.code]).toEqual([409, 'idempotency_conflict'])
    expect(await stored()).toEqual(['hello'])
  })

  test('counts for each item of a batch', async () => {
    const batch = [envelope({ text: 'a' }), envelope({ text: 'b' })]
    const first = await inbound(batch, { 'idempotency-key': 'k3' })
    const second = await inbound([batch[0], envelope({ text: 'c' })], { 'idempotency-key': 'k3' })
    expect(second.body.results[0]).toEqual(first.body.results[0])
    expect(second.body.results[1]).toMatchObject({ status: 409, error: { code: 'idempotency_conflict' } })
    expect(await stored()).toEqual(['a', 'b'])
  })

  test('longer than 255 characters is refused', async () => {
    expect((await inbound(envelope(), { 'idempotency-key': 'k'.repeat(256) })).status).toBe(400)
    expect((await inbound(envelope(), { 'idempotency-key': 'k'.repeat(255) })).status).toBe(202)
  })
})

describe('a batch', () => {
  test('has a result for each of its items, in order, and one that is wrong fails alone', async () => {
    const batch = [
      envelope({ text: 'a' }),
      { channel: 'shop' },
      envelope({ channel: 'nowhere' }),
      envelope({ text: 'b' }),
    ]
    const { status, body } = await inbound(batch)
    expect(status).toBe(202)
    expect(body.results.map((one: { index: number; status: number }) => [one.index, one.status])).toEqual([
      ...[
        [0, 202],
        [1, 400],
        [2, 404],
        [3, 202],
      ],
    ])
    expect(body.results[1].error).toMatchObject({ type: 'invalid_request_error', code: 'bad_request' })
    expect(body.results[0]).toMatchObject({ disposition: 'accepted', message_id: expect.any(String) })
    expect(await stored()).toEqual(['a', 'b'])
  })

  test.each([null, 7, 'text', [], [[]], { channel: { toString: 1 }, external_id: {} }])(
    'with %j in it fails there and nowhere else',
    async (item) => {
      const { status, body } = await inbound([envelope(), item])
      expect([status, body.results.map((one: { status: number }) => one.status)]).toEqual([202, [202, 400]])
      expect(await stored()).toEqual(['hello'])
    },
  )

  test('of lines may hold blank and broken ones: the others are taken', async () => {
    const text = [
      JSON.stringify(envelope({ text: 'a' })),
      ...['', '{"channel": "shop", '],
      JSON.stringify(envelope({ text: 'b' })),
    ].join('\n')
    const { status, body } = await inbound(text, lines)
    expect(status).toBe(202)
    expect(body.results.map((one: { status: number }) => one.status)).toEqual([202, 400, 202])
    expect(await stored()).toEqual(['a', 'b'])
  })

  test.each([
    ['an array', (items: object[]) => inbound(items)],
    ['lines', (items: object[]) => inbound(items.map((item) => JSON.stringify(item)).join('\n'), lines)],
  ])('as %s holds a thousand and not one more', async (_, post) => {
    await change('shop', { is_paused: true })
    const items = Array.from({ length: 1_000 }, (_, at) => envelope({ text: `text ${at}` }))
    const { status, body } = await post(items)
    expect(status).toBe(202)
    expect(body.results).toHaveLength(1_000)
    expect(new Set(body.results.map((one: { status: number }) => one.status))).toEqual(new Set([202]))
    expect(await stored()).toEqual(items.map(({ text }) => text))

    sender = `${sender}-more`
    const beyond = await post([...items, envelope()].map((item) => ({ ...item, external_id: sender })))
    expect([beyond.status, beyond.body.error.code]).toEqual([413, 'too_many_items'])
    expect(await stored()).toEqual([])
  })

  test('keeps the order of a sender, also where a statement is held up and another one is not', async () => {
    await change('shop', { is_paused: true })
    const [channel] = await running.db.system<{ id: string }>`select id from channels where name = 'shop'`
    const { key, digest } = ofMessage({ id: idFrom('chan', channel?.id ?? '') } as Channel, 'held-up')
    const release = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const blocker = running.db.transaction('system', async (query) => {
      // Whoever takes a message with this id waits for the end of this transaction.
      await query`insert into inbound (key, digest, message_id) values (${key}, ${digest}, ${key})`
      held.resolve()
      await release.promise
      throw new Error('rolled back')
    })
    blocker.catch(() => undefined)
    await held.promise
    // More than one statement takes.
    const items = Array.from({ length: 300 }, (_, at) => envelope({ text: `text ${at}` }))
    const posted = inbound([{ ...items[0], message_id: 'held-up' }, ...items.slice(1)])
    const waiting = async () => {
      const [row] = await running.db.system<{
        n: number
      }>`select count(*)::integer as n from pg_locks where not granted`
      return row?.n
    }
    await expect.poll(waiting).toBeGreaterThan(0)
    expect((await inbound(envelope({ external_id: `${sender}-other` }))).status).toBe(202)
    release.resolve()
    await expect(blocker).rejects.toThrow('rolled back')
    expect((await posted).status).toBe(202)
    expect(await stored()).toEqual(items.map(({ text }) => text))
  })

  test('may be empty', async () => {
    expect((await inbound([])).body).toEqual({ results: [] })
  })

  afterEach(() => change('shop', { is_paused: false }))
})

describe('the backlog', () => {
  test('that is full refuses one more, which is not stored, and says when to try again', async () => {
    const made = { name: 'small', adapter: 'generic', policy: { backlog_max: 2 }, is_paused: true }
    expect((await running.post('/v1/admin/channels', made)).status).toBe(201)
    const post = (text: string) => inbound(envelope({ channel: 'small', text }))
    expect([(await post('one')).status, (await post('two')).status]).toEqual([202, 202])
    const refused = await post('three')
    expect([refused.status, refused.body.error.code]).toEqual([429, 'backlog_full'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await stored()).toEqual(['one', 'two'])
    const batch = await inbound([envelope({ channel: 'small' }), envelope({ text: 'elsewhere' })])
    expect(batch.body.results.map((one: { status: number }) => one.status)).toEqual([429, 202])

    await change('small', { is_paused: false })
    await expect.poll(async () => (await post('four')).status).toBe(202)
  })
})
