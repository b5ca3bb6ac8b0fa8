/** kill -9 at no chosen moment, with posts, streams and calls going on, on a PostgreSQL that stays up. */
import { expect, onTestFinished, test } from 'vitest'
import { loadMessages } from '../../store/conversations/history.ts'
import type { Database } from '../../store/database.ts'
import { ConversationId, firstWorkspaceId } from '../../store/id.ts'
import { freshDatabase } from '../support/database.ts'
import { eventsOf, urlOf } from '../support/gateway.ts'
import { completionOf, type EndpointCall, json, streamOf } from '../support/model-endpoint.ts'
import { dataFolder, type Service, startService, turnsByStatus } from './support/service.ts'

const header = 'x-service-conversation-id'

/** Answers known to their callers before the kill. */
const answersMin = 300

/** What is promised of a node that is killed (docs/scale.md). */
const takenWithinMs = 2_500

test('kill -9 under load: every answer that a client got is in the database, none twice, and no turn looks running', async () => {
  const fresh = await freshDatabase()
  onTestFinished(() => fresh.drop())
  const environment = { SERVICE_DATA_DIR: await dataFolder(), SERVICE_DATABASE_URL: urlOf(fresh.address) }
  const first = await startService(environment)
  // Four that will never end, whatever moment the kill meets the others in.
  first.endpoint.always(() => {})
  const stuck = Array.from({ length: 4 }, (_, at) =>
    first.chat({}, at % 2 ? { [header]: 'new' } : {}).catch(unlessGone),
  )
  await first.endpoint.until(() => first.endpoint.openCalls === 4)
  first.endpoint.always(echo)

  const accepted = { conversations: new Map<ConversationId, string[]>(), requestIds: [] as string[] }
  let answers = 0
  const enough = Promise.withResolvers<void>()
  const answered = () => {
    answers++
    if (answers === answersMin) enough.resolve()
  }
  const load = [
    ...Array.from({ length: 6 }, (_, at) => converse(first, at % 2 === 0, accepted.conversations, answered)),
    ...Array.from({ length: 6 }, () => callOnItsOwn(first, accepted.requestIds, answered)),
  ]
  await enough.promise
  first.process.child.kill('SIGKILL')
  expect(await first.process.end).toBe('SIGKILL')
  await Promise.all([...stuck, ...load])
  const second = await startService(environment, first.endpoint)

  // The database is one that nodes may share: the lease of the one that was killed has to end before another takes what it had.
  await expect.poll(async () => (await turnsByStatus(fresh.db))['running'] ?? 0, { timeout: takenWithinMs }).toBe(0)
  const { completed = 0, interrupted = 0, ...others } = await turnsByStatus(fresh.db)
  expect(others).toEqual({})
  expect(interrupted).toBeGreaterThanOrEqual(4)
  expect(completed + interrupted).toBeGreaterThanOrEqual(answersMin + 4)

  for (const [conversation, heard] of accepted.conversations) {
    const stored = await textsOf(fresh.db, conversation)
    expect(stored.slice(0, heard.length)).toEqual(heard)
    // What the client has not heard of may be there too: its post, or its post and the answer to it.
    const next = `${heard.length / 2}`
    expect([[], [next], [next, `echo of ${next}`]]).toContainEqual(stored.slice(heard.length))
  }
  const rows = await fresh.db.system<{ request_id: string }>`select request_id from turns`
  const recorded = rows.map((row) => row.request_id)
  expect(accepted.requestIds.filter((requestId) => !recorded.includes(requestId))).toEqual([])

  const [conversation] = accepted.conversations.keys()
  if (!conversation) throw new Error('no conversation was begun')
  const before = await textsOf(fresh.db, conversation)
  expect((await post(second, conversation, 'still there?', false)).text).toBe('echo of still there?')
  expect(await textsOf(fresh.db, conversation)).toEqual([...before, 'still there?', 'echo of still there?'])
  expect(second.endpoint.requests.at(-1)?.body.messages).toHaveLength(before.length + 1)
})

function echo(call: EndpointCall): void | Promise<void> {
  const { stream, messages } = call.request.body
  const heard = messages.at(-1).content
  return stream ? streamOf(['echo of ', heard])(call) : json(completionOf(`echo of ${heard}`))(call)
}

async function post(service: Service, conversation: string, content: string, isStream: boolean) {
  const answer = await service.chat(
    { messages: [{ role: 'user', content }], stream: isStream },
    { [header]: conversation },
  )
  const body = await answer.text()
  expect(answer.status, body).toBe(200)
  return { id: ConversationId.parse(answer.headers.get(header)), text: isStream ? joined(body) : contentOf(body) }
}

/** Says 0, 1, 2 … in a conversation of its own until the service is gone, and keeps what it knows to be said. */
async function converse(
  service: Service,
  isStream: boolean,
  conversations: Map<ConversationId, string[]>,
  answered: () => void,
): Promise<void> {
  let conversation = 'new'
  for (let count = 0; ; count++) {
    const answer = await post(service, conversation, `${count}`, isStream).catch(unlessGone)
    if (!answer) return
    conversation = answer.id
    expect(answer.text).toBe(`echo of ${count}`)
    const heard = conversations.get(answer.id) ?? []
    conversations.set(answer.id, [...heard, `${count}`, answer.text])
    answered()
  }
}

async function callOnItsOwn(service: Service, requestIds: string[], answered: () => void): Promise<void> {
  for (;;) {
    const answer = await service.chat({}).catch(unlessGone)
    const body = await answer?.json().catch(unlessGone)
    if (!answer || !body) return
    expect(answer.status).toBe(200)
    requestIds.push(answer.headers.get('x-request-id') ?? '')
    answered()
  }
}

/** fetch has one error for every broken connection. */
function unlessGone(error: unknown): undefined {
  if (!(error instanceof TypeError)) throw error
}

function contentOf(body: string): string {
  return JSON.parse(body).choices[0].message.content
}

/** The text of a stream. @throws TypeError when it has no end */
function joined(body: string): string {
  const data = eventsOf(body)
  if (data.pop() !== '[DONE]') throw new TypeError('cut off')
  return data.map((text) => JSON.parse(text).choices[0]?.delta.content ?? '').join('')
}

async function textsOf(db: Database, conversation: ConversationId): Promise<string[]> {
  const messages = (await loadMessages(db, firstWorkspaceId, conversation, 10_000)) ?? []
  return messages.map(({ body }) => (body as { content: string }).content)
}
