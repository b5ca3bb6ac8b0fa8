/** Stored conversations over HTTP: continued, kept apart, one turn at a time, finished whoever watches. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadMessages } from '../../../store/conversations/history.ts'
import { ConversationId, firstWorkspaceId, newConversationId } from '../../../store/id.ts'
import { eventsOf, type GatewayUnderTest, gatewayUnderTest, until } from '../../support/gateway.ts'
import { completionOf, failure, json, type ScriptedAnswer, streamOf } from '../../support/model-endpoint.ts'
import { recentTurns } from '../../support/recent-turns.ts'

let service: GatewayUnderTest
beforeAll(async () => {
  service = await gatewayUnderTest()
})
afterAll(() => service.stop())

const header = 'x-service-conversation-id'

function say(content: string, conversation: string, more: object = {}, signal?: AbortSignal): Promise<Response> {
  const body = { model: 'm', messages: [{ role: 'user', content }], ...more }
  return service.post('/v1/chat/completions', body, { [header]: conversation }, signal)
}

async function newConversation(): Promise<ConversationId> {
  const answer = await say('hello', 'new')
  expect(answer.status).toBe(200)
  return ConversationId.parse(answer.headers.get(header))
}

async function storedTexts(conversation: ConversationId): Promise<string[]> {
  const messages = await loadMessages(service.db, firstWorkspaceId, conversation, 1_000)
  return (messages ?? []).map(({ body }) => (body as { content: string }).content)
}

const lastRequest = () => service.endpoint.requests.at(-1)?.body as { messages: { content: string }[] }

test('the word new starts one; its id continues it, and the model hears all that was said', async () => {
  service.endpoint.script(json(completionOf('Hello Ann.')), json(completionOf('Ann.')))
  const first = await say('I am Ann.', 'new')
  const conversation = first.headers.get(header) ?? ''
  expect(conversation).toMatch(/^conv_/)
  const second = await say('My name?', conversation)
  expect(second.headers.get(header)).toBe(conversation)
  expect(lastRequest().messages.map(({ content }) => content)).toEqual(['I am Ann.', 'Hello Ann.', 'My name?'])
  expect(await storedTexts(ConversationId.parse(conversation))).toEqual(['I am Ann.', 'Hello Ann.', 'My name?', 'Ann.'])
})

test('metadata names it as well as the header does, and does not reach the model', async () => {
  const conversation = await newConversation()
  const answer = await service.post('/v1/chat/completions', {
    model: 'm',
    messages: [{ role: 'user', content: 'by metadata' }],
    metadata: { conversation_id: conversation, of_the_caller: 'kept' },
  })
  expect(answer.headers.get(header)).toBe(conversation)
  expect(await storedTexts(conversation)).toContain('by metadata')
  expect(JSON.stringify(lastRequest())).not.toContain(conversation)
})

test('system messages belong to their call: the model hears them, nobody keeps them', async () => {
  const conversation = await newConversation()
  await say('', conversation, {
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'So?' },
    ],
  })
  expect(lastRequest().messages[0]).toMatchObject({ role: 'system', content: 'Be brief.' })
  expect(await storedTexts(conversation)).not.toContain('Be brief.')
})

test('an id that nobody has is 404, one that is none is 400', async () => {
  const unknown = await say('hello', newConversationId())
  expect(unknown.status).toBe(404)
  expect(await unknown.json()).toMatchObject({ error: { code: 'conversation_not_found' } })
  const none = await say('hello', 'conv_nonsense')
  expect(none.status).toBe(400)
  expect(await none.json()).toMatchObject({ error: { param: header } })
  const inBody = await service.post('/v1/chat/completions', {
    model: 'm',
    messages: [{ role: 'user', content: 'hello' }],
    metadata: { conversation_id: 'conv_nonsense' },
  })
  expect(await inBody.json()).toMatchObject({ error: { param: 'metadata.conversation_id' } })
})

test('posts to one conversation are answered one after the other, in the order they came; others do not wait', async () => {
  const conversation = await newConversation()
  const gate = Promise.withResolvers<void>()
  service.endpoint.script(held(gate.promise, 'first answer'))
  const first = say('first', conversation)
  const callsBefore = service.endpoint.requests.length
  await service.endpoint.until(() => service.endpoint.openCalls === 1)
  service.endpoint.script(json(completionOf('meanwhile')))
  expect((await say('elsewhere', 'new')).status).toBe(200)
  const second = say('second', conversation)
  gate.resolve()
  expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([200, 200])
  expect(service.endpoint.requests.length).toBeGreaterThan(callsBefore)
  expect((await storedTexts(conversation)).slice(2, 5)).toEqual(['first', 'first answer', 'second'])
})

test('a flood is refused past its bound, with the time to come back; what was taken is answered in order', async () => {
  const conversation = await newConversation()
  const gate = Promise.withResolvers<void>()
  const echo: ScriptedAnswer = async (call) => {
    await gate.promise
    await json(completionOf('yes'))(call)
  }
  service.endpoint.always(echo)
  const posts = Array.from({ length: 100 }, (_, at) => say(`post ${at}`, conversation))
  const refusals = posts.map((post) => post.then((answer) => answer.status === 429))
  let refused = 0
  for (const refusal of refusals) void refusal.then((was) => (refused += was ? 1 : 0))
  await until(() => refused === 84)
  gate.resolve()
  const answers = await Promise.all(posts)

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(16)
  const [busy] = answers.filter(({ status }) => status === 429)
  expect(busy?.headers.get('retry-after')).toBe('1')
  expect(await busy?.json()).toMatchObject({ error: { code: 'conversation_busy', type: 'rate_limit_error' } })
  const taken = answers.flatMap(({ status }, at) => (status === 200 ? [`post ${at}`] : []))
  const stored = (await storedTexts(conversation)).slice(2)
  expect(stored.filter((text) => text !== 'yes').toSorted()).toEqual(taken.toSorted())
  // Each post is followed by its own answer: no two turns ever ran at once.
  expect(stored.filter((_, at) => at % 2 === 1)).toEqual(Array.from({ length: 16 }, () => 'yes'))
})

test('who goes away in mid-stream loses the stream, not the answer: it is finished and stored', async () => {
  const conversation = await newConversation()
  const gate = Promise.withResolvers<void>()
  service.endpoint.script(streamOf(['half ', 'and whole'], { gate: gate.promise }))
  const leaving = new AbortController()
  const answer = await say('go on', conversation, { stream: true }, leaving.signal)
  const reader = answer.body?.getReader()
  await reader?.read()
  leaving.abort()
  await until(() => service.gateway.stats()['streams'] === 0)
  gate.resolve()
  await until(async () => (await storedTexts(conversation)).includes('half and whole'))
  const [turn] = await recentTurns(service.db, firstWorkspaceId, { before: null, limit: 1 })
  expect(turn).toMatchObject({ status: 'completed', conversationId: conversation })
})

test('a turn that fails keeps what was asked, gives its own error, and the conversation goes on', async () => {
  const conversation = await newConversation()
  service.endpoint.script(failure(500), json(completionOf('Back again.')))
  expect((await say('lost?', conversation)).status).toBe(502)
  const again = await say('and now?', conversation)
  expect(again.status).toBe(200)
  expect(await storedTexts(conversation)).toEqual(expect.arrayContaining(['lost?', 'and now?', 'Back again.']))
})

test('a streamed turn ends with [DONE] only when both messages are committed', async () => {
  service.endpoint.script(streamOf(['one ', 'two']))
  const answer = await say('count', 'new', { stream: true })
  const conversation = ConversationId.parse(answer.headers.get(header))
  expect(eventsOf(await answer.text()).at(-1)).toBe('[DONE]')
  expect(await storedTexts(conversation)).toEqual(['count', 'one two'])
})

test('a key of another workspace does not find it', async () => {
  const conversation = await newConversation()
  const made = await service.post('/v1/admin/apikeys', { name: 'elsewhere', scopes: ['chat'] })
  const { key, id } = (await made.json()) as { key: string; id: string }
  // Keys are made in the maker's workspace; this one is moved by hand.
  const elsewhere = '01900000-0000-7000-8000-00000000abcd'
  await service.db.system`insert into workspaces (id, name) values (${elsewhere}::uuid, 'elsewhere')`
  await service.db.system`update api_keys set workspace_id = ${elsewhere}::uuid where name = 'elsewhere'`
  expect(id).toMatch(/^key_/)
  const body = { model: 'm', messages: [{ role: 'user', content: 'hello' }] }
  const answer = await service.post('/v1/chat/completions', body, {
    authorization: `Bearer ${key}`,
    [header]: conversation,
  })
  expect(answer.status).toBe(404)
})

function held(gate: Promise<void>, text: string): ScriptedAnswer {
  return async (call) => {
    await gate
    await json(completionOf(text))(call)
  }
}
