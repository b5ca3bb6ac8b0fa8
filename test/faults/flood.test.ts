/** One stored conversation flooded far past its bounds: the surplus is refused at once, what was taken is answered in order. */
import { Agent, request } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { loadMessages } from '../../store/conversations/history.ts'
import { ConversationId, firstWorkspaceId, newConversationId } from '../../store/id.ts'
import { gatewayUnderTest, testKey } from '../support/gateway.ts'
import { completionOf, json } from '../support/model-endpoint.ts'
import { conversations } from './support/conversations.ts'
import { turnsByStatus } from './support/service.ts'

/** Posts that one conversation takes: one that runs, and those that wait. */
const acceptedMax = 16
/** Messages in its mailbox before it has looked at any. */
const mailbox = 64
const flood = 1_000

const echoes = (posts: readonly string[]) => posts.flatMap((post) => [post, `echo of ${post}`])

test('a thousand posts in one breath: the mailbox takes 64, the conversation 16 of those, the first ones, in order', async () => {
  const { system, db, answer, post, texts } = await conversations()
  const gate = Promise.withResolvers<void>()
  const heard: string[] = []
  answer(async ({ messages }) => {
    await gate.promise
    heard.push(`${messages.at(-1)?.content}`)
    return `echo of ${heard.at(-1)}`
  })
  const conversation = newConversationId()
  const sentTexts = Array.from({ length: flood }, (_, at) => `${at}`)
  let refused = 0
  const outcomes = sentTexts.map((content, at) =>
    post(content, { conversation, isNew: at === 0 }).catch((error: { code: string }) => {
      refused++
      return error.code
    }),
  )
  // Every refusal comes while the model has not answered once.
  await expect.poll(() => refused, { interval: 5 }).toBe(flood - acceptedMax)
  expect(heard).toEqual([])
  gate.resolve()

  expect(await Promise.all(outcomes)).toEqual([
    ...sentTexts.slice(0, acceptedMax).map((content) => `echo of ${content}`),
    ...sentTexts.slice(acceptedMax, mailbox).map(() => 'conversation_busy'),
    ...sentTexts.slice(mailbox).map(() => 'mailbox_full'),
  ])
  expect(system.counts).toMatchObject({ mailboxFull: flood - mailbox, crashes: 0, deadLetters: 0 })
  expect(heard).toEqual(sentTexts.slice(0, acceptedMax))
  expect(await texts(conversation)).toEqual(echoes(sentTexts.slice(0, acceptedMax)))
  expect(await turnsByStatus(db)).toEqual({ completed: acceptedMax })

  expect(await post('after the flood', { conversation })).toBe('echo of after the flood')
})

test('a thousand clients at one conversation: 429 with Retry-After for the surplus, an answer for the rest, and others are served meanwhile', async () => {
  const service = await gatewayUnderTest({ SERVICE_LOG_LEVEL: 'warn' })
  onTestFinished(() => service.stop())
  // Every post a connection of its own, all at once.
  const dispatcher = new Agent({ connections: flood })
  onTestFinished(() => dispatcher.destroy())
  const say = async (content: string, conversation: string) => {
    const answer = await request(`${service.url}/v1/chat/completions`, {
      method: 'POST',
      dispatcher,
      headers: {
        authorization: `Bearer ${testKey}`,
        'content-type': 'application/json',
        'x-service-conversation-id': conversation,
      },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }),
    })
    const body = (await answer.body.json()) as {
      choices?: { message: { content: string } }[]
      error?: { code: string; type: string }
    }
    return { content, status: answer.statusCode, headers: answer.headers, body }
  }
  service.endpoint.script(json(completionOf('echo of the first')))
  const begun = await say('the first', 'new')
  const conversation = ConversationId.parse(begun.headers['x-service-conversation-id'])
  const gate = Promise.withResolvers<void>()
  service.endpoint.always(async (call) => {
    const content = call.request.body.messages.at(-1).content
    if (content !== 'elsewhere') await gate.promise
    await json(completionOf(`echo of ${content}`))(call)
  })

  let refused = 0
  const posts = Array.from({ length: flood }, async (_, at) => {
    const answer = await say(`post ${at}`, conversation)
    if (answer.status === 429) refused++
    return answer
  })
  await expect.poll(() => refused, { interval: 10, timeout: 240_000 }).toBe(flood - acceptedMax)
  expect((await say('elsewhere', 'new')).status).toBe(200)
  gate.resolve()
  const answers = await Promise.all(posts)

  const answered = answers.filter(({ status }) => status === 200)
  const surplus = answers.filter(({ status }) => status === 429)
  expect([answered.length, surplus.length]).toEqual([acceptedMax, flood - acceptedMax])
  for (const { headers, body } of surplus) {
    expect(headers['retry-after']).toBe('1')
    expect(body.error).toMatchObject({ type: 'rate_limit_error' })
    expect(['conversation_busy', 'mailbox_full']).toContain(body.error?.code)
  }
  for (const { content, body } of answered) expect(body.choices?.[0]?.message.content).toBe(`echo of ${content}`)

  // The model heard them in the order in which they are stored, each after all those before it.
  const heard = service.endpoint.requests
    .map(({ body }) => body.messages.map((message: { content: string }) => message.content) as string[])
    .filter((contents) => contents.length > 1)
  const stored = (await loadMessages(service.db, firstWorkspaceId, conversation, 1_000)) ?? []
  const texts = stored.map(({ body }) => (body as { content: string }).content)
  expect(heard).toEqual(Array.from({ length: acceptedMax }, (_, at) => texts.slice(0, 2 * at + 3)))
  expect(texts).toEqual(echoes(['the first', ...heard.map((contents) => contents.at(-1) ?? '')]))
  expect(heard.map((contents) => contents.at(-1)).toSorted()).toEqual(answered.map(({ content }) => content).toSorted())
  expect(await turnsByStatus(service.db)).toEqual({ completed: acceptedMax + 2 })
}, 300_000)
