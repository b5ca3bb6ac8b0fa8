/** Turns that operators ask for: posts, other answers to the same question, branches; and how they are listed. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { notifyChange } from '../../../../store/changes.ts'
import { createChannel } from '../../../../store/channels.ts'
import { type ConversationId, firstWorkspaceId, newMessageId, uuidOf } from '../../../../store/id.ts'
import { intakeWriter } from '../../../../store/intake.ts'
import { inboundMessage } from '../../../store/support/channel.ts'
import { failure, streamOf } from '../../../support/model-endpoint.ts'
import { type Body, echo, refusesOthers, type Talk, talk } from './support/talk.ts'

let our: Talk
beforeAll(async () => {
  our = await talk()
})
afterAll(() => our.stop())
afterEach(() => our.service.endpoint.always(echo))

const contents = (messages: Body[]): unknown[] => messages.map(({ content }) => content)
const answers = (count: number) => (messages: Body[]) =>
  messages.filter(({ role }) => role === 'assistant').length === count

const turnsOf = async (id: ConversationId, more = ''): Promise<Body[]> =>
  (await our.get(`conversations/turns?conversation_id=${id}${more}`)).body.turns

/** A conversation whose newest turn runs until `release` is called. */
async function busy(): Promise<{ id: ConversationId; release(): void }> {
  const id = await our.say(['one'])
  const gate = Promise.withResolvers<void>()
  our.service.endpoint.script(streamOf(['late', ' answer'], { gate: gate.promise }))
  const { status } = await our.post('post', { conversation_id: id, text: 'two' })
  expect(status).toBe(200)
  await expect.poll(async () => (await turnsOf(id))[0].status).toBe('running')
  return { id, release: () => gate.resolve() }
}

describe('post', () => {
  it('stores the message, answers with the ids, and drives a turn that knows the past', async () => {
    const id = await our.say(['one'])
    const { status, body } = await our.post('post', { conversation_id: id, text: '  two' })
    expect({ status, body }).toMatchObject({ status: 200, body: { ok: true, conversation_id: id } })
    const messages = await our.messages(id, answers(2))
    expect(contents(messages)).toEqual(['one', 're: one', '  two', 're:   two'])
    expect(messages[2]).toMatchObject({ id: body.message_id, turn_id: body.turn_id, seq: 3, role: 'user' })
    expect(our.lastAsked()).toEqual(['one', 're: one', '  two'])
    expect((await turnsOf(id))[0]).toMatchObject({ id: body.turn_id, origin: 'admin', status: 'completed', attempt: 1 })
    expect(await our.lastAudit()).toMatchObject({ action: 'conversation.post', target: id })
  })

  it('is told to those who follow the events', async () => {
    const id = await our.say(['one'])
    const { body } = await our.post('post', { conversation_id: id, text: 'two' })
    await our.messages(id, answers(2))
    const events = await our.service.db.system<{ kind: string }>`
      select kind from events where conversation_id = ${uuidOf(id)}
        and subject = any(${[uuidOf(body.message_id), uuidOf(body.turn_id)]}::uuid[]) order by xid, id`
    expect(events.map(({ kind }) => kind)).toEqual(['message.created', 'turn.started', 'turn.completed'])
  })

  it('refuses others and empty texts', async () => {
    const conversation_id = await our.say(['hello'])
    await refusesOthers(our, 'post', { conversation_id, text: 'x' })
    for (const text of ['', '  ', 5, 'x'.repeat(200_001)])
      expect((await our.post('post', { conversation_id, text })).status).toBe(400)
    expect(await our.messages(conversation_id)).toHaveLength(2)
  })

  it('is 429 where as many turns wait as may, and stores nothing', async () => {
    const { db } = our.service
    const channel = await createChannel(db, firstWorkspaceId, {
      ...{ name: 'narrow', adapter: 'generic', config: { policy: { backlog_max: 1 } } },
      ...{ secrets: null, isEnabled: true, isPaused: true },
    })
    await notifyChange(db, 'channels')
    const intake = intakeWriter(db, 1)
    const taken = await intake.take(inboundMessage(channel, 'ann', { isBindingRequired: false }))
    await intake.close()
    const conversation_id = 'conversationId' in taken ? taken.conversationId : ''
    const post = () => our.post('post', { conversation_id, text: 'x' })
    const statuses: number[] = []
    // Before the gateway has heard of the channel its bounds are those of no channel.
    await expect.poll(async () => statuses[statuses.push((await post()).status) - 1]).toBe(429)
    expect(await post()).toMatchObject({
      status: 429,
      body: { error: { type: 'rate_limit_error', code: 'backlog_full' } },
    })
    const stored = statuses.filter((status) => status === 200).length
    expect(await our.messages(conversation_id as ConversationId)).toHaveLength(1 + stored)
    expect(await our.post('regenerate', { conversation_id })).toMatchObject({ status: 429 })
  })
})

describe('regenerate', () => {
  it('answers the last question anew, without telling the model the old answer, which is superseded', async () => {
    const id = await our.say(['one', 'two'])
    our.service.endpoint.script(streamOf(['better']))
    const { status, body } = await our.post('regenerate', { conversation_id: id })
    expect({ status, body }).toMatchObject({ status: 200, body: { ok: true, conversation_id: id } })
    const messages = await our.messages(id, answers(3))
    expect(contents(messages)).toEqual(['one', 're: one', 'two', 're: two', 'better'])
    expect(our.lastAsked()).toEqual(['one', 're: one', 'two'])
    expect(messages.map((message) => message.superseded_by)).toEqual([null, null, null, messages[4].id, null])
    expect(messages[4].turn_id).toBe(body.turn_id)
    expect(await our.lastAudit()).toMatchObject({ action: 'conversation.regenerate', target: id })
    await our.say(['three'], id)
    expect(our.lastAsked()).toEqual(['one', 're: one', 'two', 'better', 'three'])
  })

  it('works again and again, each answer superseding the one before', async () => {
    const id = await our.say(['one'])
    for (const words of ['second', 'third']) {
      our.service.endpoint.script(streamOf([words]))
      await our.post('regenerate', { conversation_id: id })
      await our.messages(id, (messages) => contents(messages).includes(words))
      await expect.poll(async () => (await turnsOf(id))[0].status).toBe('completed')
    }
    const messages = await our.messages(id)
    expect(contents(messages.filter((message) => message.superseded_by === null))).toEqual(['one', 'third'])
  })

  it('brings the question back into the context after a reset', async () => {
    const id = await our.say(['one', 'two'])
    await our.post('reset', { conversation_id: id })
    await our.post('regenerate', { conversation_id: id })
    await our.messages(id, answers(3))
    expect(our.lastAsked()).toEqual(['two'])
    await our.say(['three'], id)
    expect(our.lastAsked()).toEqual(['two', 're: two', 'three'])
  })

  it('supersedes nothing when its turn fails', async () => {
    const id = await our.say(['one'])
    our.service.endpoint.script(failure(400))
    await our.post('regenerate', { conversation_id: id })
    await expect.poll(async () => (await turnsOf(id))[0].status).toBe('failed')
    expect((await our.messages(id)).map((message) => message.superseded_by)).toEqual([null, null])
  })

  it('is 409 while a turn waits or runs', async () => {
    const { id, release } = await busy()
    expect(await our.post('regenerate', { conversation_id: id })).toMatchObject({
      status: 409,
      body: { error: { type: 'invalid_request_error', code: 'turn_in_progress' } },
    })
    release()
    await our.messages(id, answers(2))
    await expect.poll(async () => (await our.post('regenerate', { conversation_id: id })).status).toBe(200)
    await our.messages(id, answers(3))
  })

  it('of two at once only one is taken', async () => {
    const id = await our.say(['one'])
    const gate = Promise.withResolvers<void>()
    our.service.endpoint.always(streamOf(['a', 'b'], { gate: gate.promise }))
    const both = await Promise.all([1, 2].map(() => our.post('regenerate', { conversation_id: id })))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    gate.resolve()
    await our.messages(id, answers(2))
  })

  it('is 400 where no user has said anything', async () => {
    const conversation_id = await our.say(['one'])
    await our.service.db.system`delete from messages where conversation_id = ${uuidOf(conversation_id)}`
    expect(await our.post('regenerate', { conversation_id })).toMatchObject({ status: 400 })
    await refusesOthers(our, 'regenerate', { conversation_id })
  })
})

describe('branch', () => {
  it('asks something else in a copy of what came before, and leaves the original as it is', async () => {
    const id = await our.say(['one', 'two', 'three'])
    const before = await our.messages(id)
    const message_id = before[2].id
    const { status, body } = await our.post('branch', {
      conversation_id: id,
      message_id,
      text: 'deux',
      title: 'French',
    })
    expect({ status, body }).toMatchObject({ status: 200, body: { ok: true, parent_id: id } })
    const messages = await our.messages(body.conversation_id, answers(2))
    expect(messages.map(({ seq, content }) => [seq, content])).toEqual([
      [1, 'one'],
      [2, 're: one'],
      [3, 'deux'],
      [4, 're: deux'],
    ])
    expect(messages[2]).toMatchObject({ id: body.message_id, turn_id: body.turn_id })
    expect(our.lastAsked()).toEqual(['one', 're: one', 'deux'])
    expect(await our.messages(id)).toEqual(before)
    expect(await our.lastAudit()).toMatchObject({ action: 'conversation.branch', target: body.conversation_id })
  })

  it('at the first message starts from nothing', async () => {
    const id = await our.say(['one'])
    const [first] = await our.messages(id)
    const { body } = await our.post('branch', { conversation_id: id, message_id: first.id, text: 'uno' })
    expect(contents(await our.messages(body.conversation_id, answers(1)))).toEqual(['uno', 're: uno'])
  })

  it('refuses others, answers, and messages of other conversations', async () => {
    const conversation_id = await our.say(['one'])
    const [question, answer] = await our.messages(conversation_id)
    const body = { conversation_id, message_id: question.id, text: 'x' }
    await refusesOthers(our, 'branch', body)
    expect(await our.post('branch', { ...body, message_id: answer.id })).toMatchObject({
      status: 400,
      body: { error: { param: 'message_id' } },
    })
    const [foreign] = await our.messages(await our.say(['elsewhere']))
    for (const message_id of [foreign.id, newMessageId()])
      expect((await our.post('branch', { ...body, message_id })).status).toBe(404)
    const { body: list } = await our.get('conversations?limit=200')
    expect(list.conversations.filter((one: Body) => one.parent_id === conversation_id)).toEqual([])
  })
})

describe('the list of turns', () => {
  it('says what each cost and how it ended, newest first', async () => {
    const id = await our.say(['one'])
    our.service.endpoint.script(failure(400, 'no such thing'))
    await our.post('post', { conversation_id: id, text: 'two' })
    await expect.poll(async () => (await turnsOf(id))[0].status).toBe('failed')
    const [failed, completed] = await turnsOf(id)
    expect(completed).toMatchObject({
      ...{ conversation_id: id, status: 'completed', origin: 'call', model: 'scripted-1', error: null },
      ...{ prompt_tokens: 9, completion_tokens: 3 },
    })
    expect(completed.duration_ms).toBeGreaterThan(0)
    expect(failed).toMatchObject({ origin: 'admin', attempt: 1 })
    expect(failed.error.code).toMatch(/./)
    expect(failed.error.message).toMatch(/./)
    expect(await turnsOf(id, '&status=failed')).toEqual([failed])
    expect(await turnsOf(id, `&since=${encodeURIComponent(failed.started_at)}`)).toEqual([failed])
  })

  it('comes in pages, of the workspace where no conversation is named', async () => {
    await our.say(['one', 'two', 'three'])
    const seen: string[] = []
    let offset: number | null = 0
    while (offset !== null) {
      const { body } = await our.get(`conversations/turns?limit=2&offset=${offset}`)
      seen.push(...body.turns.map((turn: Body) => turn.id))
      offset = body.next_offset
    }
    const { body } = await our.get('conversations/turns?limit=200')
    expect(seen).toEqual(body.turns.map((turn: Body) => turn.id))
    expect(seen).toEqual([...seen].sort().reverse())
    expect(seen.length).toBeGreaterThan(3)
    expect((await our.get('conversations/turns', our.stranger)).body.turns).toEqual([])
  })

  it('refuses others and what is no filter', async () => {
    const id = await our.say(['one'])
    const path = `conversations/turns?conversation_id=${id}`
    expect((await our.get(path, our.reader)).status).toBe(200)
    expect((await our.get(path, our.chatter)).status).toBe(403)
    expect((await our.get(path, our.stranger)).status).toBe(404)
    for (const wrong of ['status=done', 'since=today', 'limit=0', 'limit=201', 'offset=-1', 'conversation_id=x'])
      expect((await our.get(`conversations/turns?${wrong}`)).status, wrong).toBe(400)
  })
})
