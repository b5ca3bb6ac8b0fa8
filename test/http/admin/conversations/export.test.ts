/** A conversation as a file: whole, of any length, at the pace of its reader. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type ConversationId,
  firstWorkspaceId,
  newConversationId,
  newOperatorId,
  uuidOf,
} from '../../../../store/id.ts'
import { testKey } from '../../../support/gateway.ts'
import { type Talk, talk } from './support/talk.ts'

let our: Talk
beforeAll(async () => {
  our = await talk()
})
afterAll(() => our.stop())

const download = (query: string, key = testKey): Promise<Response> =>
  fetch(`${our.service.url}/v1/admin/conversations/export?${query}`, { headers: { authorization: `Bearer ${key}` } })

/** A conversation of so many messages of so many characters. */
async function long(messages: number, characters: number): Promise<ConversationId> {
  const id = newConversationId()
  await our.service.db.system`
    insert into conversations (id, workspace_id, last_seq) values (${uuidOf(id)}, ${uuidOf(firstWorkspaceId)}, ${messages})`
  await our.service.db.system`
    insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body)
    select ${uuidOf(id)}, n, gen_random_uuid(), ${uuidOf(firstWorkspaceId)}, gen_random_uuid(), 'user',
      jsonb_build_object('role', 'user', 'content', n || ':' || repeat('я', ${characters}::integer))
    from generate_series(1, ${messages}::integer) as n`
  return id
}

describe('Markdown', () => {
  it('is a file with title, facts and what was said in the end', async () => {
    const id = await our.say(['one', 'two'])
    await our.service.db.system`update conversations set title = ${'A "talk"\nof two'} where id = ${uuidOf(id)}`
    await our.post('organize', { conversation_id: id, folder: 'leads', tags: ['a', 'b'] })
    const [, old, , answer] = await our.messages(id)
    await our.service.db.system`update messages set superseded_by = ${uuidOf(answer.id)} where id = ${uuidOf(old.id)}`
    const response = await download(`conversation_id=${id}&format=md`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="conversation-${id}.md"`)
    const text = await response.text()
    expect(text).toMatch(/^# A "talk" of two\n\n- Conversation: conv_.+\n- Begun: .+Z\n- Folder: leads\n- Tags: a, b\n/)
    expect([...text.matchAll(/^## (\w+), .+Z\n\n(.+)\n/gm)].map(([, role, said]) => [role, said])).toEqual([
      ['user', 'one'],
      ['user', 'two'],
      ['assistant', 're: two'],
    ])
  })

  it('tells the words of an operator from the sender’s', async () => {
    const id = await our.say(['one'])
    const { body } = await our.post('post', { conversation_id: id, text: 'two' })
    await our.messages(id, (messages) => messages.length === 4)
    const operator = newOperatorId()
    await our.service.db.system`
      insert into operators (id, login, name, created_by) values (${uuidOf(operator)}, 'ada', 'Ada', 'test')`
    await our.service.db.system`update turns set operator_id = ${uuidOf(operator)} where id = ${uuidOf(body.turn_id)}`
    const text = await (await download(`conversation_id=${id}`)).text()
    expect([...text.matchAll(/^## ([\w ]+), .+Z$/gm)].map(([, speaker]) => speaker)).toEqual([
      'user',
      'assistant',
      'operator ada',
      'assistant',
    ])
  })

  it('names the parts that are no text, and is the format where none is named', async () => {
    const id = newConversationId()
    await our.service.db.system`
      insert into conversations (id, workspace_id, last_seq) values (${uuidOf(id)}, ${uuidOf(firstWorkspaceId)}, 1)`
    const content = [
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: 'data:x' } },
    ]
    const body = { role: 'user', content, tool_calls: [{ id: 'c1' }] }
    await our.service.db.system`
      insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body)
      values (${uuidOf(id)}, 1, gen_random_uuid(), ${uuidOf(firstWorkspaceId)}, gen_random_uuid(), 'user', ${JSON.stringify(body)}::text::jsonb)`
    const text = await (await download(`conversation_id=${id}`)).text()
    expect(text).toContain('\n\nlook\n\n[image_url]\n\n```json\n')
    expect(text).not.toContain('data:x')
  })
})

describe('JSON', () => {
  it('holds the conversation and every message, superseded ones too', async () => {
    const id = await our.say(['one'])
    await our.post('regenerate', { conversation_id: id })
    const messages = await our.messages(id, (all) => all.length === 3)
    const response = await download(`conversation_id=${id}&format=json`)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="conversation-${id}.json"`)
    const document = (await response.json()) as { conversation: object; messages: object[] }
    expect(document.conversation).toMatchObject({ id, last_seq: 3 })
    expect(document.messages).toEqual(messages)
  })

  it('of many pages comes whole and in order', async () => {
    const id = await long(1_234, 10)
    const document = (await (await download(`conversation_id=${id}&format=json`)).json()) as {
      messages: { seq: number }[]
    }
    expect(document.messages.map(({ seq }) => seq)).toEqual(Array.from({ length: 1_234 }, (_, at) => at + 1))
  })

  it('of an empty conversation is a document too', async () => {
    const id = await long(0, 0)
    expect(await (await download(`conversation_id=${id}&format=json`)).json()).toMatchObject({ messages: [] })
  })
})

it('is read at the pace of its reader: what is deleted while the reader stands still is not in the file', async () => {
  const id = await long(400, 50_000) // 40 MB as UTF-8, four pages
  const response = await download(`conversation_id=${id}&format=json`)
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const pieces: Uint8Array[] = []
  const next = async () => {
    const { value } = await reader.read()
    if (value) pieces.push(value)
    return value !== undefined
  }
  await next()
  // Whoever reads nothing for as long as this delete takes is not read ahead for.
  await our.service.db.system`delete from messages where conversation_id = ${uuidOf(id)} and seq > 300`
  while (await next());
  const document = JSON.parse(Buffer.concat(pieces).toString()) as { messages: { seq: number; content: string }[] }
  expect(document.messages.map(({ seq }) => seq)).toEqual(Array.from({ length: 300 }, (_, at) => at + 1))
  expect(document.messages.every(({ seq, content }) => content === `${seq}:${'я'.repeat(50_000)}`)).toBe(true)
})

it('refuses others and unknown formats before the file begins', async () => {
  const id = await our.say(['one'])
  expect((await download(`conversation_id=${id}`, our.reader)).status).toBe(200)
  expect((await download(`conversation_id=${id}`, our.chatter)).status).toBe(403)
  for (const response of [
    await download(`conversation_id=${id}`, our.stranger),
    await download(`conversation_id=${newConversationId()}`),
  ]) {
    expect(response.status).toBe(404)
    expect(response.headers.get('content-disposition')).toBeNull()
    expect(await response.json()).toMatchObject({ error: { code: 'not_found' } })
  }
  for (const query of ['', 'conversation_id=x', `conversation_id=${id}&format=pdf`])
    expect((await download(query)).status, query).toBe(400)
})
