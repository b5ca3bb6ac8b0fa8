/** SIGTERM while posts wait for their turn in a stored conversation: the one that runs ends whole, the others never began. */
import { expect, onTestFinished, test } from 'vitest'
import { loadMessages } from '../../store/conversations/history.ts'
import { ConversationId, firstWorkspaceId } from '../../store/id.ts'
import { freshDatabase } from '../support/database.ts'
import { urlOf } from '../support/gateway.ts'
import { completionOf, json } from '../support/model-endpoint.ts'
import { dataFolder, startService, turnsByStatus } from './support/service.ts'

/** One that runs and fifteen that wait: what one conversation takes. */
const acceptedMax = 16

/** A service in which one stored conversation holds as many posts as it takes, the first of them with the model. */
async function withFullConversation(drainS: string, gate: Promise<void>) {
  const fresh = await freshDatabase()
  onTestFinished(() => fresh.drop())
  const service = await startService({
    SERVICE_DATA_DIR: await dataFolder(),
    SERVICE_DATABASE_URL: urlOf(fresh.address),
    SERVICE_DRAIN_TIMEOUT_S: drainS,
  })
  service.endpoint.script(json(completionOf('hello to you')))
  const begun = await service.chat({}, { 'x-service-conversation-id': 'new' })
  const conversation = ConversationId.parse(begun.headers.get('x-service-conversation-id'))
  await begun.text()
  service.endpoint.always(async (call) => {
    await gate
    await json(completionOf('the last word'))(call)
  })
  const say = async (content: string) => {
    const body = { messages: [{ role: 'user', content }] }
    const answer = await service.chat(body, { 'x-service-conversation-id': conversation })
    return { status: answer.status, body: (await answer.json()) as { error?: { code: string } } }
  }
  const first = say('the first')
  await service.endpoint.until(() => service.endpoint.openCalls === 1)
  // Those refused say that all places are taken.
  let refused = 0
  const waiting = Array.from({ length: acceptedMax + 9 }, async (_, at) => {
    const answer = await say(`waiting ${at}`)
    if (answer.status === 429) refused++
    return answer
  })
  await expect.poll(() => refused, { interval: 10 }).toBe(10)

  const texts = async () => {
    const messages = (await loadMessages(fresh.db, firstWorkspaceId, conversation, 1_000)) ?? []
    return messages.map(({ body }) => (body as { content: string }).content)
  }
  const waited = async () => (await Promise.all(waiting)).filter(({ status }) => status !== 429)
  return { service, fresh, first, waited, texts }
}

test('SIGTERM with posts waiting in a conversation: the running one is answered, the others are told to come back and are not stored', async () => {
  const gate = Promise.withResolvers<void>()
  const { service, fresh, first, waited, texts } = await withFullConversation('20', gate.promise)
  service.process.child.kill('SIGTERM')
  await expect.poll(() => service.status('/readyz'), { interval: 10 }).not.toBe(200)
  gate.resolve()

  expect((await first).status).toBe(200)
  const others = await waited()
  expect(others).toHaveLength(acceptedMax - 1)
  expect(new Set(others.map(({ status, body }) => `${status} ${body.error?.code}`))).toEqual(new Set(['503 draining']))
  expect(await service.process.end).toBe(0)
  expect(await texts()).toEqual(['hello', 'hello to you', 'the first', 'the last word'])
  expect(await turnsByStatus(fresh.db)).toEqual({ completed: 2 })
})

test('SIGTERM with posts waiting behind a model that hangs: all of them are answered at the drain’s end', async () => {
  const { service, fresh, first, waited, texts } = await withFullConversation('1', new Promise(() => {}))
  service.process.child.kill('SIGTERM')

  expect((await first).status).toBe(503)
  expect(new Set((await waited()).map(({ status }) => status))).toEqual(new Set([503]))
  expect(await service.process.end).toBe(0)
  expect(await texts()).toEqual(['hello', 'hello to you', 'the first'])
  expect(await turnsByStatus(fresh.db)).toEqual({ completed: 1, interrupted: 1 })
})
