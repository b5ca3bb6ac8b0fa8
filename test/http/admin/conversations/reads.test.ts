/** Conversations as operators look at them: the list, its filters, what was said, and the counts of the overview. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createChannel } from '../../../../store/channels.ts'
import {
  type ConversationId,
  firstWorkspaceId,
  newConversationId,
  newTurnId,
  uuidOf,
  type WorkspaceId,
} from '../../../../store/id.ts'
import { intakeWriter } from '../../../../store/intake.ts'
import { inboundMessage } from '../../../store/support/channel.ts'
import { type Body, type Talk, talk } from './support/talk.ts'

let our: Talk
beforeAll(async () => {
  our = await talk()
})
afterAll(() => our.stop())

const list = (query = '', key?: string) => our.get(`conversations${query && `?${query}`}`, key)
const ids = ({ body }: { body: Body }): string[] => body.conversations.map(({ id }: Body) => id)
const titled = (id: ConversationId, title: string) =>
  our.service.db.system`update conversations set title = ${title} where id = ${uuidOf(id)}`

async function ofChannel(name: string, externalId: string): Promise<ConversationId> {
  const { db } = our.service
  const open = { config: {}, secrets: null, isEnabled: true, isPaused: true }
  const channel = await createChannel(db, firstWorkspaceId, { name, adapter: 'generic', ...open })
  const intake = intakeWriter(db, 1)
  const taken = await intake.take(inboundMessage(channel, externalId, { isBindingRequired: false }))
  await intake.close()
  return 'conversationId' in taken ? taken.conversationId : newConversationId()
}

/** A conversation with messages of these sizes, without a turn. */
async function stored(bodies: object[], workspace: WorkspaceId = firstWorkspaceId): Promise<ConversationId> {
  const { system } = our.service.db
  const id = newConversationId()
  await system`insert into conversations (id, workspace_id, last_seq) values (${uuidOf(id)}, ${uuidOf(workspace)}, ${bodies.length})`
  await system`
    insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body)
    select ${uuidOf(id)}, seq, gen_random_uuid(), ${uuidOf(workspace)}, ${uuidOf(newTurnId())}, body ->> 'role', body
    from jsonb_array_elements(${JSON.stringify(bodies)}::text::jsonb) with ordinality as given (body, seq)`
  return id
}

describe('the list', () => {
  it('shows each conversation with the fields of the interface, newest first', async () => {
    const older = await our.say(['one'])
    const newer = await our.say(['two'])
    const { body } = await list('limit=2')
    expect(ids({ body })).toEqual([newer, older])
    const [one] = body.conversations
    expect(one).toEqual({
      ...{ id: newer, title: '', workspace_id: firstWorkspaceId, project_id: null, folder: null, tags: [] },
      ...{ channel: null, external_id: null, last_seq: 2, context_after_seq: 0, parent_id: null },
      ...{ created_at: expect.any(String), updated_at: expect.any(String), active_at: expect.any(String) },
      opening: 'two',
      newest: { role: 'assistant', name: null, text: expect.any(String), at: expect.any(String) },
      turn: { id: expect.stringMatching(/^turn_/), agent: null, status: 'completed', origin: 'call' },
    })
    expect(new Date(one.created_at).toISOString()).toBe(one.created_at)
    expect(body.total).toBeGreaterThanOrEqual(2)
    expect(body.total_is_estimate).toBe(false)
  })

  it('comes whole by cursor and by offset, and ends', async () => {
    await our.say(['one'])
    await our.say(['two'])
    await our.say(['three'])
    const all = ids(await list('limit=200'))
    const byCursor: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer = await list(`limit=2${cursor && `&cursor=${cursor}`}`)
      byCursor.push(...ids(answer))
      cursor = answer.body.next_cursor
    }
    expect(byCursor).toEqual(all)
    expect([...ids(await list('limit=2&offset=0')), ...ids(await list('limit=200&offset=2'))]).toEqual(all)
    expect(ids(await list(`offset=${all.length}`))).toEqual([])
    expect((await list('limit=2')).body.total).toBe(all.length)
  })

  it('comes in the order of the last activity, by cursor and offset', async () => {
    const first = await our.say(['one'])
    const second = await our.say(['two'])
    const third = await our.say(['three'])
    const activeAt = (id: ConversationId, at: string | null) =>
      our.service.db.system`update conversations set active_at = ${at}::timestamptz where id = ${uuidOf(id)}`
    await activeAt(second, '2100-01-01T00:02:00Z')
    await activeAt(first, '2100-01-01T00:01:00Z')
    // As a version leaves it that does not know the column: by its beginning.
    await activeAt(third, null)
    const { body } = await list('order=active&limit=2')
    expect(ids({ body })).toEqual([second, first])
    expect(body.conversations[0].active_at).toBe('2100-01-01T00:02:00.000Z')
    const all = ids(await list('order=active&limit=200'))
    expect(all).toContain(third)
    const byCursor: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer = await list(`order=active&limit=2${cursor && `&cursor=${cursor}`}`)
      byCursor.push(...ids(answer))
      cursor = answer.body.next_cursor
    }
    expect(byCursor).toEqual(all)
    expect(ids(await list('order=active&limit=200&offset=1'))).toEqual(all.slice(1))
    const other = (await list('limit=1')).body.next_cursor
    for (const query of [
      `order=active&cursor=${other}`,
      `cursor=${body.next_cursor}`,
      'order=active&text=one',
      'order=x',
    ])
      expect((await list(query)).status, query).toBe(400)
    await activeAt(first, null)
    await activeAt(second, null)
  })

  it('has the activity of each message that is said', async () => {
    const id = await our.say(['one'])
    await our.service.db.system`update conversations set active_at = '2020-01-01T00:00:00Z' where id = ${uuidOf(id)}`
    await our.say(['two'], id)
    const { body } = await list('limit=1')
    expect(Date.parse(body.conversations[0].active_at)).toBeGreaterThan(Date.parse('2026-01-01T00:00:00Z'))
    expect(Date.parse(body.conversations[0].active_at) % 60_000).toBe(0)
  })

  it('shows the first words and the newest message, cut and on one line', async () => {
    const parts = [
      { type: 'image_url', image_url: { url: 'data:,' } },
      { type: 'text', text: '  Look  at   this ' },
    ]
    const id = await stored([
      { role: 'user', content: parts, name: 'Ann' },
      { role: 'assistant', content: 'x'.repeat(500) },
    ])
    const { body } = await list('limit=1')
    expect(body.conversations[0]).toMatchObject({ id, opening: 'Look at this', turn: null })
    expect(body.conversations[0].newest).toMatchObject({ role: 'assistant', text: 'x'.repeat(200) })
    const empty = await stored([])
    expect((await list('limit=1')).body.conversations[0]).toMatchObject({ id: empty, opening: null, newest: null })
    const long = await stored([
      { role: 'user', content: Array.from({ length: 40_000 }, (_, n) => n).join(' '), name: 'Bo' },
    ])
    expect((await list('limit=1')).body.conversations[0]).toMatchObject({
      id: long,
      opening: null,
      newest: { name: 'Bo', text: null },
    })
  })

  it('counts what it can be narrowed to, each facet without its own filter', async () => {
    const one = await our.say(['one'])
    const two = await our.say(['two'])
    await our.post('organize', { conversation_id: one, folder: 'counted', tags: ['red', 'blue'] })
    await our.post('organize', { conversation_id: two, folder: 'counted', tags: ['red'] })
    await ofChannel('counted-channel', 'visitor-1')
    const facets = (query = '', key?: string) => our.get(`conversations/facets${query}`, key)
    const { body } = await facets()
    expect(body.folder).toContainEqual({ value: 'counted', count: 2 })
    expect(body.channel).toContainEqual({ value: 'counted-channel', count: 1 })
    const narrowed = (await facets('?folder=counted&tag=blue')).body
    expect(narrowed.tag).toEqual([
      { value: 'red', count: 2 },
      { value: 'blue', count: 1 },
    ])
    expect(narrowed.folder).toEqual([{ value: 'counted', count: 1 }])
    expect(narrowed.channel).toEqual([])
    expect((await facets('', our.stranger)).body).toEqual({ channel: [], folder: [], tag: [] })
    expect((await facets('', our.chatter)).status).toBe(403)
    expect((await facets('?since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z')).status).toBe(400)
  })

  it('refuses bounds, cursors and dates that are none', async () => {
    const { next_cursor } = (await list('limit=1')).body
    const both = await list(`offset=0&cursor=${next_cursor}`)
    expect(both).toMatchObject({ status: 400, body: { error: { code: 'bad_request', param: 'offset' } } })
    const wrong = ['limit=0', 'limit=201', 'limit=x', 'offset=-1', 'cursor=1', 'since=now', 'until=1', 'offset=1000001']
    for (const query of [...wrong, 'since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z'])
      expect((await list(query)).status, query).toBe(400)
  })

  it('is for readers, and ends at the workspace', async () => {
    const own = await our.say(['one'])
    expect((await list('', our.reader)).status).toBe(200)
    expect((await list('', our.chatter)).status).toBe(403)
    expect((await list('', 'sk-nobody-has-this-key-at-all')).status).toBe(401)
    const theirs = await stored([], our.elsewhere)
    expect(ids(await list('', our.stranger))).toEqual([theirs])
    expect(ids(await list('limit=200'))).toContain(own)
    expect(ids(await list('limit=200'))).not.toContain(theirs)
  })

  it('is filtered by tag, folder, channel and time', async () => {
    const tagged = await our.say(['one'])
    const filed = await our.say(['two'])
    await our.post('organize', { conversation_id: tagged, tags: ['vip', 'ru'] })
    await our.post('organize', { conversation_id: filed, folder: 'leads', tags: ['ru'] })
    const posted = await ofChannel('site', 'visitor-7')
    expect(ids(await list('tag=vip'))).toEqual([tagged])
    expect(ids(await list('tag=ru'))).toEqual([filed, tagged])
    expect(ids(await list('tag=ru&folder=leads'))).toEqual([filed])
    expect(ids(await list('tag=none'))).toEqual([])
    const { body } = await list('channel=site')
    expect(body).toMatchObject({ conversations: [{ id: posted, channel: 'site', external_id: 'visitor-7' }], total: 1 })
    expect(ids(await list('channel=none'))).toEqual([])
    expect(ids(await list('tag=&folder=&channel=&text=&limit=200'))).toContain(filed)

    await our.service.db
      .system`update conversations set created_at = '2020-05-05T12:00:00Z' where id = ${uuidOf(tagged)}`
    const { created_at } = (await list('folder=leads')).body.conversations[0]
    expect(ids(await list(`tag=ru&since=${created_at}`))).toEqual([filed])
    expect(ids(await list(`tag=ru&until=${created_at}`))).not.toContain(filed)
  })

  it('is searched in titles and messages, whatever the case, and takes no wildcards', async () => {
    const byTitle = await our.say(['hello'])
    await titled(byTitle, 'Заявка 100% на кредит')
    const byMessage = await our.say(['Where is my PARCEL_7?'])
    const byPart = await stored([{ role: 'user', content: [{ type: 'text', text: 'look at this zebra' }] }])
    expect(ids(await list('text=заявка'))).toEqual([byTitle])
    expect(ids(await list('text=100%25'))).toEqual([byTitle])
    expect(ids(await list('text=parcel_7'))).toEqual([byMessage])
    expect(ids(await list('text=Zebra'))).toEqual([byPart])
    for (const text of ['1%25%D0%BA', 'parcelx7', 'parcel.7', '%5C'])
      expect(ids(await list(`text=${text}`)), text).toEqual([])
    expect((await list('text=zebra')).body).toMatchObject({ total: 1, total_is_estimate: false, next_cursor: null })
    expect(ids(await list('text=zebra&folder=leads'))).toEqual([])
    expect(ids(await list('text=parcel_7', our.stranger))).toEqual([])
  })

  it('is searched page by page', async () => {
    const three = [await our.say(['giraffe']), await our.say(['giraffe']), await our.say(['giraffe'])].reverse()
    const first = await list('text=giraffe&limit=2')
    expect(ids(first)).toEqual(three.slice(0, 2))
    expect(ids(await list(`text=giraffe&limit=2&cursor=${first.body.next_cursor}`))).toEqual(three.slice(2))
    expect(ids(await list('text=giraffe&limit=2&offset=1'))).toEqual(three.slice(1))
    expect((await list('text=giraffe&offset=1001')).status).toBe(400)
  })
})

describe('messages', () => {
  const read = (query: string, key?: string) => our.get(`conversations/messages?${query}`, key)

  it('come with their fields, from the end towards the beginning', async () => {
    const id = await our.say(['one', 'two'])
    const { body } = await read(`id=${id}&limit=3`)
    expect(body).toMatchObject({ conversation_id: id, next_before_seq: 2, last_seq: 4 })
    expect(body.messages.map(({ seq, role, content }: Body) => [seq, role, content])).toEqual([
      [2, 'assistant', 're: one'],
      [3, 'user', 'two'],
      [4, 'assistant', 're: two'],
    ])
    expect(body.messages[1]).toEqual({
      ...{ id: expect.stringMatching(/^msg_/), seq: 3, role: 'user', content: 'two', turn_id: expect.any(String) },
      ...{ details: null, superseded_by: null, feedback: null, created_at: expect.any(String) },
    })
    const rest = await read(`id=${id}&limit=3&before_seq=${body.next_before_seq}`)
    expect(rest.body.messages.map(({ seq }: Body) => seq)).toEqual([1])
    expect(rest.body.next_before_seq).toBeNull()
  })

  it('keep parts, names and calls of tools', async () => {
    const parts = [{ type: 'text', text: 'look' }]
    const calls = [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{}' } }]
    const id = await stored([
      { role: 'user', content: parts, name: 'Ann' },
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', content: 'found', tool_call_id: 'c1' },
    ])
    expect((await read(`id=${id}`)).body.messages).toMatchObject([
      { role: 'user', content: parts, name: 'Ann' },
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', content: 'found', tool_call_id: 'c1' },
    ])
  })

  it('come in a smaller page when they are large, none left out', async () => {
    const large = 'x'.repeat(3 * 1_048_576)
    const id = await stored(Array.from({ length: 5 }, () => ({ role: 'user', content: large })))
    const seen: number[] = []
    for (let before: number | null = 6; before !== null; ) {
      const { body } = await read(`id=${id}&before_seq=${before}`)
      expect(body.messages.length).toBeLessThanOrEqual(2)
      seen.unshift(...body.messages.map(({ seq }: Body) => seq))
      before = body.next_before_seq
    }
    expect(seen).toEqual([1, 2, 3, 4, 5])
  })

  it('are for readers of the workspace', async () => {
    const id = await our.say(['one'])
    expect((await read(`id=${id}`, our.reader)).status).toBe(200)
    expect((await read(`id=${id}`, our.chatter)).status).toBe(403)
    expect(await read(`id=${id}`, our.stranger)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
    expect((await read(`id=${newConversationId()}`)).status).toBe(404)
    for (const query of ['', 'id=x', `id=${id}&limit=0`, `id=${id}&limit=201`, `id=${id}&before_seq=0`])
      expect((await read(query)).status, query).toBe(400)
  })
})

describe('the audit log', () => {
  it('comes in pages, newest first, to readers of the workspace', async () => {
    const id = await our.say(['one'])
    for (const folder of ['a', 'b', 'c']) await our.post('organize', { conversation_id: id, folder })
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await our.get(`audit?limit=2${cursor && `&cursor=${cursor}`}`)
      seen.push(...body.items.map((entry: Body) => entry.id))
      cursor = body.next_cursor
    }
    expect(seen).toEqual([...new Set(seen)].sort().reverse())
    expect(seen.length).toBeGreaterThanOrEqual(3)
    expect((await our.get('audit', our.stranger)).body.items).toEqual([])
    expect((await our.get('audit', our.chatter)).status).toBe(403)
    for (const query of ['limit=0', 'limit=201', 'cursor=x']) expect((await our.get(`audit?${query}`)).status).toBe(400)
  })
})

describe('the overview', () => {
  it('counts what the workspace has, and says how the service is', async () => {
    const before = (await our.get('overview')).body
    await our.say(['one', 'two'])
    const { status, body } = await our.get('overview', our.reader)
    expect(status).toBe(200)
    expect(body.counts).toMatchObject({
      conversations: before.counts.conversations + 1,
      messages: before.counts.messages + 4,
      api_keys: 3,
    })
    expect(body.counts.turns_last_24h.completed).toBe(before.counts.turns_last_24h.completed + 2)
    expect(body).toMatchObject({
      at_least: [],
      health: { ready: true, database: 'up', schema: 'ready', draining: false },
      queue: { running: 0 },
      version: '0.0.0-test',
    })
  })

  it('counts channels, waiting turns and deliveries by status', async () => {
    const before = (await our.get('overview')).body
    const conversation = await ofChannel('counted', 'ann')
    await our.service.db.system`
      insert into deliveries (id, workspace_id, channel_id, conversation_id, turn_id, message_id, seq, status, expires_at)
      select (left(replace(id::text, '-', ''), 30) || '0' || n)::uuid, workspace_id, channel_id, id, id, gen_random_uuid(), n,
        (array['pending', 'delivered'])[n], now()
      from conversations, generate_series(1, 2) as n where id = ${uuidOf(conversation)}`
    const { body } = await our.get('overview')
    expect(body.counts.channels).toBe(before.counts.channels + 1)
    expect(body.counts.turns_last_24h.queued).toBe(before.counts.turns_last_24h.queued + 1)
    expect(body.counts.deliveries).toMatchObject({
      pending: before.counts.deliveries.pending + 1,
      delivered: before.counts.deliveries.delivered + 1,
      failed: before.counts.deliveries.failed,
    })
  })

  it('shows a stranger nothing of it, and a chat key nothing at all', async () => {
    const { body } = await our.get('overview', our.stranger)
    expect(body.counts).toMatchObject({ channels: 0, api_keys: 1, turns_last_24h: { completed: 0 } })
    expect((await our.get('overview', our.chatter)).status).toBe(403)
  })
})
