/** What operators change without a turn: order, ratings, the context, copies; each leaves its entry in the audit log. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { digestOf } from '../../../../store/audit/audit.ts'
import { type ConversationId, newMessageId, uuidOf } from '../../../../store/id.ts'
import { type Body, refusesOthers, type Talk, talk } from './support/talk.ts'

let our: Talk
beforeAll(async () => {
  our = await talk()
})
afterAll(() => our.stop())

const contents = (messages: Body[]): unknown[] => messages.map(({ content }) => content)

/** The conversation as the list shows it. */
async function shown(id: ConversationId): Promise<Body> {
  const { body } = await our.get('conversations?limit=200')
  return body.conversations.find((one: Body) => one.id === id)
}

describe('organize', () => {
  it('sets folder and tags, and leaves what is not named', async () => {
    const id = await our.say(['hello'])
    expect(await our.post('organize', { conversation_id: id, folder: ' leads ', tags: ['a', 'b', 'a'] })).toEqual({
      status: 200,
      body: { ok: true, conversation_id: id, folder: 'leads', tags: ['a', 'b'] },
    })
    expect(await shown(id)).toMatchObject({ folder: 'leads', tags: ['a', 'b'] })
    await our.post('organize', { conversation_id: id, tags: [] })
    expect(await shown(id)).toMatchObject({ folder: 'leads', tags: [] })
    await our.post('organize', { conversation_id: id, folder: '' })
    expect(await shown(id)).toMatchObject({ folder: null, tags: [] })
  })

  it('is written down with what it changed from and to, in digests', async () => {
    const id = await our.say(['hello'])
    await our.post('organize', { conversation_id: id, folder: 'one', tags: ['t'] })
    const entry = await our.lastAudit()
    expect(entry).toMatchObject({ action: 'conversation.organize', target: id, ip: '127.0.0.1' })
    expect(entry.actor).toMatch(/^key_[0-9a-f]{32}$/)
    expect(entry.request_id).not.toBe('')
    expect(entry.before_digest).toBe(digestOf({ folder: null, tags: [] }))
    expect(entry.after_digest).toBe(digestOf({ folder: 'one', tags: ['t'] }))
  })

  it('refuses what it cannot set, and writes nothing down', async () => {
    const conversation_id = await our.say(['hello'])
    const before = await our.lastAudit()
    await refusesOthers(our, 'organize', { conversation_id, folder: 'x' })
    for (const body of [
      { conversation_id },
      { conversation_id, tags: [''] },
      { conversation_id, folder: 'x'.repeat(201) },
    ])
      expect((await our.post('organize', body)).status).toBe(400)
    expect(await our.lastAudit()).toEqual(before)
  })
})

describe('feedback', () => {
  it('is kept with the answer; a second one takes its place', async () => {
    const id = await our.say(['hello'])
    const [, answer] = await our.messages(id)
    const message_id = answer.id
    expect(await our.post('feedback', { message_id, rating: 1, comment: 'good' })).toEqual({
      status: 200,
      body: { ok: true, message_id, conversation_id: id, rating: 1 },
    })
    expect((await our.messages(id))[1].feedback).toEqual({ rating: 1, comment: 'good' })
    await our.post('feedback', { message_id, rating: -1 })
    expect((await our.messages(id))[1].feedback).toEqual({ rating: -1, comment: null })
    expect(await our.lastAudit()).toMatchObject({
      ...{ action: 'conversation.feedback', target: message_id },
      before_digest: digestOf({ rating: 1, comment: 'good' }),
      after_digest: digestOf({ rating: -1, comment: null }),
    })
  })

  it('is for answers only, and of -1, 0 or 1', async () => {
    const [question, answer] = await our.messages(await our.say(['hello']))
    const body = { message_id: answer.id, rating: 0 }
    expect((await our.post('feedback', body)).status).toBe(200)
    expect(await our.post('feedback', { ...body, message_id: question.id })).toMatchObject({
      status: 400,
      body: { error: { param: 'message_id' } },
    })
    for (const rating of [2, -2, 0.5, '1', null])
      expect(await our.post('feedback', { ...body, rating })).toMatchObject({
        status: 400,
        body: { error: { param: 'rating' } },
      })
    await refusesOthers(our, 'feedback', body, { message_id: newMessageId() })
  })
})

describe('reset', () => {
  it('keeps the history and no longer tells it to the model', async () => {
    const id = await our.say(['one', 'two'])
    expect(await our.post('reset', { conversation_id: id })).toEqual({
      status: 200,
      body: { ok: true, conversation_id: id, context_after_seq: 4 },
    })
    expect(await our.lastAudit()).toMatchObject({
      ...{ action: 'conversation.reset', target: id },
      before_digest: digestOf({ contextAfterSeq: 0 }),
      after_digest: digestOf({ contextAfterSeq: 4 }),
    })
    expect(await our.messages(id)).toHaveLength(4)
    await our.say(['three'], id)
    expect(our.lastAsked()).toEqual(['three'])
    await our.say(['four'], id)
    expect(our.lastAsked()).toEqual(['three', 're: three', 'four'])
  })

  it('refuses others', async () => refusesOthers(our, 'reset', { conversation_id: await our.say(['hello']) }))
})

describe('fork', () => {
  it('copies all messages under new ids into a conversation of its own', async () => {
    const id = await our.say(['one', 'two'])
    await our.post('organize', { conversation_id: id, folder: 'f', tags: ['t'] })
    const { status, body } = await our.post('fork', { conversation_id: id, title: 'The fork' })
    expect({ status, body }).toMatchObject({ status: 200, body: { ok: true, parent_id: id, messages: 4 } })
    const original = await our.messages(id)
    const copy = await our.messages(body.conversation_id)
    expect(copy.map(({ seq, role, content }) => [seq, role, content])).toEqual([
      [1, 'user', 'one'],
      [2, 'assistant', 're: one'],
      [3, 'user', 'two'],
      [4, 'assistant', 're: two'],
    ])
    expect(new Set([...original, ...copy].map((message) => message.id)).size).toBe(8)
    expect(await shown(body.conversation_id)).toMatchObject({
      ...{ title: 'The fork', parent_id: id, last_seq: 4, folder: 'f', tags: ['t'], channel: null, external_id: null },
    })
    expect(await our.lastAudit()).toMatchObject({
      ...{ action: 'conversation.fork', target: body.conversation_id, before_digest: null },
      after_digest: digestOf({ parent: id, until: null, title: 'The fork', messages: 4 }),
    })
  })

  it('goes on by itself: the original hears nothing of it', async () => {
    const id = await our.say(['one'])
    const { body } = await our.post('fork', { conversation_id: id })
    await our.say(['two'], body.conversation_id)
    expect(our.lastAsked()).toEqual(['one', 're: one', 'two'])
    expect(await our.messages(id)).toHaveLength(2)
  })

  it('neither waits for whoever writes to the original nor holds them up', async () => {
    const id = await our.say(['one'])
    const forked = await our.service.db.transaction('system', async (query) => {
      await query`select id from conversations where id = ${uuidOf(id)} for update`
      return await our.post('fork', { conversation_id: id })
    })
    expect(forked).toMatchObject({ status: 200, body: { messages: 2 } })
  })

  it('ends with the message that is named', async () => {
    const id = await our.say(['one', 'two'])
    const [, answer] = await our.messages(id)
    const { body } = await our.post('fork', { conversation_id: id, until_message_id: answer.id })
    expect(contents(await our.messages(body.conversation_id))).toEqual(['one', 're: one'])
    expect((await shown(body.conversation_id)).last_seq).toBe(2)
  })

  it('leaves superseded messages out and closes the gap, but for one that is named', async () => {
    const id = await our.say(['one', 'two'])
    const [, first, , last] = await our.messages(id)
    await our.service.db.system`update messages set superseded_by = ${uuidOf(last.id)} where id = ${uuidOf(first.id)}`
    const all = await our.post('fork', { conversation_id: id })
    const copy = await our.messages(all.body.conversation_id)
    expect(copy.map(({ seq, content }) => [seq, content])).toEqual([
      [1, 'one'],
      [2, 'two'],
      [3, 're: two'],
    ])
    const older = await our.post('fork', { conversation_id: id, until_message_id: first.id })
    expect(contents(await our.messages(older.body.conversation_id))).toEqual(['one', 're: one'])
  })

  it('puts each answer behind its question, as the model is told them', async () => {
    const id = await our.say(['one', 'two'])
    const [, one, two, answer] = await our.messages(id)
    // As it is when both were posted before the first was answered.
    await our.service.db.system`
      update messages set seq = case id when ${uuidOf(two.id)} then -2 when ${uuidOf(one.id)} then -3 else -4 end,
        turn_seq = case id when ${uuidOf(one.id)} then 1 when ${uuidOf(answer.id)} then 2 end
      where id = any(${[one, two, answer].map((message) => uuidOf(message.id))}::uuid[])`
    await our.service.db.system`update messages set seq = -seq where conversation_id = ${uuidOf(id)} and seq < 0`
    expect(contents(await our.messages(id))).toEqual(['one', 'two', 're: one', 're: two'])
    const { body } = await our.post('fork', { conversation_id: id, until_message_id: two.id })
    expect(contents(await our.messages(body.conversation_id))).toEqual(['one', 're: one', 'two'])
  })

  it('keeps a reset, unless it ends before it', async () => {
    const id = await our.say(['one', 'two'])
    await our.post('reset', { conversation_id: id })
    await our.say(['three'], id)
    const [, early] = await our.messages(id)
    const whole = await our.post('fork', { conversation_id: id })
    await our.say(['on'], whole.body.conversation_id)
    expect(our.lastAsked()).toEqual(['three', 're: three', 'on'])
    const part = await our.post('fork', { conversation_id: id, until_message_id: early.id })
    await our.say(['on'], part.body.conversation_id)
    expect(our.lastAsked()).toEqual(['one', 're: one', 'on'])
  })

  it('refuses others, messages of other conversations, and more than 10,000 messages', async () => {
    const conversation_id = await our.say(['hello'])
    await refusesOthers(our, 'fork', { conversation_id })
    const [foreign] = await our.messages(await our.say(['elsewhere']))
    for (const until_message_id of [foreign.id, newMessageId()])
      expect((await our.post('fork', { conversation_id, until_message_id })).status).toBe(404)
    await our.service.db.system`
      insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body)
      select conversation_id, 2 + n, gen_random_uuid(), workspace_id, turn_id, role, body
      from messages, generate_series(1, 9999) as n where conversation_id = ${uuidOf(conversation_id)} and seq = 2`
    expect(await our.post('fork', { conversation_id })).toMatchObject({
      status: 400,
      body: { error: { code: 'conversation_too_long' } },
    })
    const [, second] = (await our.get(`conversations/messages?id=${conversation_id}&before_seq=3`)).body.messages
    expect((await our.post('fork', { conversation_id, until_message_id: second.id })).body.messages).toBe(2)
  })
})
