/** Stored responses: continued, read again, followed again, cancelled, deleted; and what a crash leaves of them. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { loadMessages } from '../../../store/conversations/history.ts'
import { firstWorkspaceId, uuidOf } from '../../../store/id.ts'
import { sql } from '../../../store/postgres/sql.ts'
import { deleteOldResponses } from '../../../store/responses.ts'
import { freshAddress } from '../../support/database.ts'
import { type GatewayUnderTest, gatewayUnderTest, until } from '../../support/gateway.ts'
import { chunkOf, completionOf, failure, hang, json, streamOf } from '../../support/model-endpoint.ts'
import { heldNow } from '../../support/slots.ts'
import { eventsIn, type Json, type ResponsesClient, responsesClient, typesOf } from './support/client.ts'

let service: GatewayUnderTest
let client: ResponsesClient
beforeAll(async () => {
  service = await gatewayUnderTest()
  client = responsesClient(service)
})
afterAll(() => service.stop())
beforeEach(() => {
  service.endpoint.requests.length = 0
})

const asked = (at = -1) => service.endpoint.requests.at(at)?.body as Json
const told = (at = -1) => asked(at)['messages'].map(({ content }: Json) => content)
const says = (text: string) => service.endpoint.script(json(completionOf(text)))
const rowsOf = async (table: 'responses' | 'messages' | 'conversations') =>
  (await service.db.system<{ n: number }>`select count(*)::integer as n from ${tables[table]}`)[0]?.n
const tables = { responses: sql`responses`, messages: sql`messages`, conversations: sql`conversations` }

/** A gate that the test opens, and an answer that waits at it after its first word. */
function gated(words: string[]) {
  const gate = Promise.withResolvers<void>()
  service.endpoint.script(streamOf(words, { gate: gate.promise }))
  return gate
}

test('a response continues another: the model hears all but the instructions of the one before', async () => {
  says('Hello Ann.')
  const first = await client.created({ input: 'I am Ann.', instructions: 'Be brief.' })
  says('Ann.')
  const second = await client.created({
    previous_response_id: first['id'],
    input: [
      { role: 'developer', content: 'Be kind.' },
      { role: 'user', content: 'My name?' },
    ],
  })
  expect(told()).toEqual(['I am Ann.', 'Hello Ann.', 'Be kind.', 'My name?'])
  expect(second['previous_response_id']).toBe(first['id'])
  await client.created({ previous_response_id: second['id'], input: 'Thanks.', instructions: 'New.' })
  expect(told()).toEqual(['New.', 'I am Ann.', 'Hello Ann.', 'Be kind.', 'My name?', 'Ann.', 'Thanks.'])
})

test('two ways on from one response do not hear of each other, also at the same time', async () => {
  says('root')
  const root = await client.created({ input: 'start' })
  const on = (input: string) => client.created({ previous_response_id: root['id'], input })
  service.endpoint.always(json(completionOf('ok')))
  const ways = await Promise.all(['a', 'b', 'c'].map(on))
  const histories = [-3, -2, -1].map((at) => told(at))
  expect(histories.toSorted()).toEqual([
    ['start', 'root', 'a'],
    ['start', 'root', 'b'],
    ['start', 'root', 'c'],
  ])
  for (const way of ways) await client.created({ previous_response_id: way['id'], input: 'on' })
  expect([-3, -2, -1].map((at) => told(at).slice(2))).toEqual([
    ['a', 'ok', 'on'],
    ['b', 'ok', 'on'],
    ['c', 'ok', 'on'],
  ])
})

test('one that is not stored hears what it continues, and leaves nothing to read', async () => {
  says('root')
  const root = await client.created({ input: 'start' })
  const before = [await rowsOf('responses'), await rowsOf('messages'), await rowsOf('conversations')]
  const aside = await client.created({ previous_response_id: root['id'], input: 'aside', store: false })
  expect(told()).toEqual(['start', 'root', 'aside'])
  expect([await rowsOf('responses'), await rowsOf('messages'), await rowsOf('conversations')]).toEqual(before)
  expect((await client.retrieve(aside['id'])).status).toBe(404)
  const on = await client.create({ previous_response_id: aside['id'], input: 'on' })
  expect(on.status).toBe(404)
  expect(await on.json()).toMatchObject({ error: { code: 'not_found', param: 'previous_response_id' } })
})

test('items of stored responses can be named instead of repeated', async () => {
  const calls = [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }]
  service.endpoint.script(json(completionOf({ role: 'assistant', content: 'I call.', tool_calls: calls })))
  const first = await client.created({ input: 'go', tools: [{ type: 'function', name: 'f', parameters: {} }] })
  const references = first['output'].map(({ id }: Json) => ({ type: 'item_reference', id }))
  const output = { type: 'function_call_output', call_id: 'call_1', output: 'done' }
  await client.created({ input: [{ role: 'user', content: 'go' }, ...references, output] })
  expect(asked()['messages']).toEqual([
    { role: 'user', content: 'go' },
    { role: 'assistant', content: 'I call.', tool_calls: calls },
    { role: 'tool', tool_call_id: 'call_1', content: 'done' },
  ])
})

test('input items are listed in pages, in either order, without those of the response before', async () => {
  const first = await client.created({ input: 'earlier' })
  const input = [
    { role: 'user', content: 'one' },
    { type: 'message', role: 'assistant', content: 'two' },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: 'three' },
    { role: 'user', content: [{ type: 'input_text', text: 'four' }] },
  ]
  const { id } = await client.created({ input, previous_response_id: first['id'] })
  const all = (await (await client.items(id, '?order=asc')).json()) as Json
  expect(all).toMatchObject({ object: 'list', has_more: false })
  expect(all['data']).toMatchObject([
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'one' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'two' }] },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: 'three' },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'four' }] },
  ])
  for (const order of ['asc', 'desc']) {
    const ids: string[] = []
    for (let after = ''; ; ) {
      const page = (await (await client.items(id, `?limit=2&order=${order}${after}`)).json()) as Json
      expect(page['data'].length).toBeLessThanOrEqual(2)
      ids.push(...page['data'].map((item: Json) => item['id']))
      after = `&after=${page['last_id']}`
      if (!page['has_more']) break
    }
    const expected = all['data'].map((item: Json) => item['id'])
    expect(ids).toEqual(order === 'asc' ? expected : expected.toReversed())
  }
  const unknown = await client.items(id, '?after=msg_nobody')
  expect(unknown.status).toBe(400)
  expect(await unknown.json()).toMatchObject({ error: { param: 'after' } })
  expect((await client.items(id, '?limit=101')).status).toBe(400)
})

test('a deleted response is gone; its words go with the last response that needs them', async () => {
  const first = await client.created({ input: 'deleted words' })
  const second = await client.created({ input: 'more', previous_response_id: first['id'] })
  const [row] = await service.db.system<{ conversation: string }>`
    select conversation_id as conversation from responses where id = ${uuidOf(first['id'])}`
  const words = async () =>
    (await service.db.system`select id from messages where conversation_id = ${row?.conversation ?? ''}::uuid`).length
  const removed = await client.remove(first['id'])
  expect(await removed.json()).toEqual({ id: first['id'], object: 'response', deleted: true })
  expect((await client.retrieve(first['id'])).status).toBe(404)
  expect((await client.remove(first['id'])).status).toBe(404)
  expect(await words()).toBe(4)
  await client.created({ input: 'on', previous_response_id: second['id'], store: false })
  expect(told()[0]).toBe('deleted words')
  expect((await client.remove(second['id'])).status).toBe(200)
  expect(await words()).toBe(0)
  expect(await service.db.system`select id from conversations where id = ${row?.conversation ?? ''}::uuid`).toEqual([])
})

test('old responses are deleted, and conversations that others speak in stay', async () => {
  const old = await client.created({ input: 'old' })
  const young = await client.created({ input: 'young' })
  await service.db.system`update responses set created_at = now() - interval '31 days' where id = ${uuidOf(old['id'])}`
  expect(
    await deleteOldResponses(
      service.db,
      await heldNow(service.db, 'retention'),
      new Date(Date.now() - 30 * 86_400_000),
      100,
    ),
  ).toBe(1)
  expect((await client.retrieve(old['id'])).status).toBe(404)
  expect((await client.retrieve(young['id'])).status).toBe(200)
})

test('a response in the background is answered at once, and read when it has ended', async () => {
  const gate = gated(['one ', 'two'])
  const started = await client.created({ input: 'go', background: true })
  expect(started).toMatchObject({ status: 'queued', background: true, output: [] })
  expect(await client.retrieved(started['id'])).toMatchObject({ status: 'in_progress' })
  const early = await client.create({ input: 'on', previous_response_id: started['id'] })
  expect(early.status).toBe(409)
  expect((await client.remove(started['id'])).status).toBe(409)
  gate.resolve()
  await until(async () => (await client.retrieved(started['id']))['status'] === 'completed')
  expect((await client.retrieved(started['id']))['output'][0].content[0].text).toBe('one two')
})

test('a response in the background whose model fails has failed', async () => {
  service.endpoint.script(failure(500, 'broken'))
  const { id } = await client.created({ input: 'go', background: true })
  await until(async () => (await client.retrieved(id))['status'] === 'failed')
  expect((await client.retrieved(id))['error']).toMatchObject({ code: 'endpoint_error' })
})

test('a response in the background can be cancelled: the call to the model ends, and cancelling again changes nothing', async () => {
  gated(['one', 'never'])
  const { id } = await client.created({ input: 'go', background: true })
  await service.endpoint.until(() => service.endpoint.openCalls === 1)
  const aborted = service.endpoint.abortedCalls
  const cancelled = await client.cancel(id)
  expect(await cancelled.json()).toMatchObject({ id, status: 'cancelled' })
  await service.endpoint.until(() => service.endpoint.abortedCalls === aborted + 1)
  expect(await (await client.cancel(id)).json()).toMatchObject({ status: 'cancelled' })
  const followed = eventsIn(await (await client.retrieve(id, '?stream=true')).text())
  expect(followed.at(-1)).toMatchObject({ type: 'response.cancelled', response: { status: 'cancelled' } })
})

test('a response that is not in the background cannot be cancelled', async () => {
  const { id } = await client.created({ input: 'go' })
  const refused = await client.cancel(id)
  expect(refused.status).toBe(400)
})

test('a stream that broke off is followed again from any event, with the same events and numbers', async () => {
  const gate = gated(['one ', 'two ', 'three'])
  const leaving = new AbortController()
  const answer = await client.create({ input: 'go', background: true, stream: true }, leaving.signal)
  const reader = answer.body?.getReader()
  let text = ''
  while (!text.includes('one ')) text += Buffer.from((await reader?.read())?.value ?? []).toString()
  const id = (eventsIn(text)[0] as Json)['response'].id
  expect(typesOf(eventsIn(text)).slice(0, 3)).toEqual(['response.created', 'response.queued', 'response.in_progress'])
  leaving.abort()
  const following = client.retrieve(id, '?stream=true&starting_after=3')
  const whole = client.retrieve(id, '?stream=true')
  gate.resolve()
  const all = eventsIn(await (await whole).text())
  expect(all.map(({ sequence_number }) => sequence_number)).toEqual(all.map((_, at) => at))
  expect(all.at(-1)).toMatchObject({ type: 'response.completed' })
  expect(eventsIn(await (await following).text())).toEqual(all.slice(4))
  for (let after = 0; after < all.length; after++) {
    const again = await client.retrieve(id, `?stream=true&starting_after=${after}`)
    expect(eventsIn(await again.text())).toEqual(all.slice(after + 1))
  }
})

test('a client that goes away does not end a stored response, and ends one that is not stored', async () => {
  for (const store of [true, false]) {
    const gate = gated(['one ', 'two'])
    const leaving = new AbortController()
    const aborted = service.endpoint.abortedCalls
    const answer = await client.create({ input: 'go', stream: true, store }, leaving.signal)
    const reader = answer.body?.getReader()
    let text = ''
    while (!text.includes('one ')) text += Buffer.from((await reader?.read())?.value ?? []).toString()
    leaving.abort()
    const id = (eventsIn(text)[0] as Json)['response'].id
    if (store) {
      gate.resolve()
      await until(async () => (await client.retrieved(id))['status'] === 'completed')
      expect((await client.retrieved(id))['output'][0].content[0].text).toBe('one two')
    } else {
      await service.endpoint.until(() => service.endpoint.abortedCalls === aborted + 1)
    }
  }
  await until(() => service.gateway.stats()['turns'] === 0)
  await expect.poll(() => service.gateway.stats()).toMatchObject({ turns: 0, streams: 0 })
})

test.each(['is in the background', 'has lost its reader'])(
  'a response with more events than are kept is finished when it %s',
  async (case_) => {
    const isStream = case_ === 'has lost its reader'
    const words = Array.from({ length: 30 }, () => 'x'.repeat(200_000))
    const gate = gated(words)
    const leaving = new AbortController()
    const answer = await client.create({ input: 'go', background: true, stream: isStream }, leaving.signal)
    const begun = isStream ? Buffer.from((await answer.body?.getReader().read())?.value ?? []) : await answer.text()
    leaving.abort()
    const id = String(/resp_[0-9a-f]{32}/.exec(begun.toString())?.[0])
    gate.resolve()
    await until(async () => (await client.retrieved(id))['status'] === 'completed')
    expect((await client.retrieved(id))['output'][0].content[0].text).toBe(words.join(''))
  },
)

test('after a crash a response that ran has failed, and one that had ended is read and followed as it was', async () => {
  const shared = await freshAddress()
  const dying = await gatewayUnderTest({}, { address: shared.address })
  const before = responsesClient(dying)
  const ended = await before.created({ input: 'go' })
  dying.endpoint.script(hang)
  const { id } = await before.created({ input: 'go', background: true })
  // It counts as killed: nothing more of it is written.
  const next = await gatewayUnderTest({}, { address: shared.address, replaces: dying.gateway.node })
  const after = responsesClient(next)
  expect(await after.retrieved(id)).toMatchObject({ status: 'failed', error: { code: 'interrupted' } })
  const { completed_at: _, ...same } = ended
  expect(await after.retrieved(ended['id'])).toMatchObject({ ...same, completed_at: null })
  const replayed = eventsIn(await (await after.retrieve(ended['id'], '?stream=true')).text())
  expect(typesOf(replayed)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ])
  const rest = eventsIn(await (await after.retrieve(ended['id'], '?stream=true&starting_after=5')).text())
  expect(rest).toMatchObject([
    { type: 'response.completed', sequence_number: 6, response: { output: ended['output'] } },
  ])
  const on = await after.created({ input: 'on', previous_response_id: id })
  expect(on['status']).toBe('completed')
  await next.stop()
  await dying.stop()
  await shared.drop()
})

test('of another workspace there is no response', async () => {
  const { id } = await client.created({ input: 'hi' })
  const [row] = await service.db.system<{ conversation: string }>`
    select conversation_id as conversation from responses where id = ${uuidOf(id)}`
  expect(row).toBeDefined()
  const other = crypto.randomUUID()
  await service.db.system`update responses set workspace_id = ${other}::uuid where id = ${uuidOf(id)}`
  for (const answer of [
    await client.retrieve(id),
    await client.items(id),
    await client.cancel(id),
    await client.remove(id),
    await client.create({ input: 'on', previous_response_id: id }),
  ])
    expect(answer.status).toBe(404)
})

test('the turn of a response is one of the origin responses, and its messages are a conversation', async () => {
  says('Yes.')
  const { id } = await client.created({ input: 'Stored?' })
  const [turn] = await service.db.system<{ origin: string; status: string; conversation_id: string }>`
    select origin, status, conversation_id from turns where id = ${uuidOf(id)}`
  expect(turn).toMatchObject({ origin: 'responses', status: 'completed' })
  const conversation = `conv_${turn?.conversation_id.replaceAll('-', '')}`
  const messages = await loadMessages(service.db, firstWorkspaceId, conversation as never, 10)
  expect(messages?.map(({ body }) => (body as Json)['content'])).toEqual(['Stored?', 'Yes.'])
})

test('an answer without words is an empty message', async () => {
  service.endpoint.script((call) => {
    call.openStream()
    call.event(chunkOf({ role: 'assistant', content: '' }))
    call.event(chunkOf({}, { finish: 'stop' }))
    call.event('[DONE]')
    call.end()
  })
  const streamed = await client.streamed({ input: 'hi' })
  expect(streamed.at(-1)?.['response'].output).toMatchObject([{ type: 'message', content: [{ text: '' }] }])
})
