/** `GET /v1/events/stream` through the whole service: who may read, what is told, and how a reader goes on. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { notifyChange } from '../../../store/changes.ts'
import { createChannel } from '../../../store/channels.ts'
import { feedStart as beginning, cursorOf } from '../../../store/events/cursor.ts'
import { deleteEvents, feedName, lastPosition } from '../../../store/events/events.ts'
import { type ConversationId, firstWorkspaceId, newConversationId, uuidOf } from '../../../store/id.ts'
import { testKey } from '../../support/gateway.ts'
import { completionOf, json } from '../../support/model-endpoint.ts'
import { heldNow } from '../../support/slots.ts'
import { type Talk, talk } from '../admin/conversations/support/talk.ts'
import { firstOwner, letIn } from '../admin/support/people.ts'
import { readEvents, type SseReader } from './support/sse-reader.ts'

let our: Talk
const open: SseReader[] = []
beforeAll(async () => {
  our = await talk({ SERVICE_DRAIN_TIMEOUT_S: '100' })
})
afterAll(() => our.stop())
afterEach(() => {
  for (const reader of open.splice(0)) reader.leave()
})

async function follow(query = '', headers: Record<string, string> = {}, key = testKey): Promise<SseReader> {
  const reader = await readEvents(`${our.service.url}/v1/events/stream${query}`, {
    authorization: `Bearer ${key}`,
    ...headers,
  })
  open.push(reader)
  return reader
}

async function ready(query = '', headers: Record<string, string> = {}): Promise<SseReader> {
  const reader = await follow(query, headers)
  await reader.untilKind('ready')
  return reader
}

async function write(kind: string, more: { conversation?: ConversationId; payload?: object; count?: number } = {}) {
  const { conversation, payload, count = 1 } = more
  await our.service.db.system`
    insert into events (workspace_id, kind, conversation_id, payload)
    select ${uuidOf(firstWorkspaceId)}, ${kind}, ${conversation ? uuidOf(conversation) : null}::uuid, ${payload ? JSON.stringify(payload) : null}::text::json
    from generate_series(1, ${count})`
}

/** Without the entries of the audit log: those of a test before this one may come late. */
const told = (reader: SseReader) =>
  reader.heard.filter(({ kind }) => kind !== 'ready' && kind !== 'reset' && kind !== 'audit.added')

describe('who may read', () => {
  it('is who has admin:read: others are 403, strangers 401', async () => {
    expect((await follow('', {}, our.reader)).response.status).toBe(200)
    const { response } = await follow('', {}, our.chatter)
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ error: { code: 'forbidden' } })
    expect((await follow('', {}, 'sk-nobody-has-this-key-at-all')).response.status).toBe(401)
    expect((await fetch(`${our.service.url}/v1/events/stream`)).status).toBe(401)
  })

  it('is not who has a ticket', async () => {
    const made = await our.service.post('/v1/web/tickets', { conversation_id: 'new' })
    const { ticket } = (await made.json()) as { ticket: string }
    expect((await follow('', {}, ticket)).response.status).toBe(401)
    expect((await fetch(`${our.service.url}/v1/events/stream?ticket=${ticket}`)).status).toBe(401)
  })

  it('and hears of its own workspace only', async () => {
    const stranger = await follow('', {}, our.stranger)
    await stranger.untilKind('ready')
    const mine = await ready()
    await write('test.mine')
    await our.service.db.system`
      insert into events (workspace_id, kind) values (${uuidOf(our.elsewhere)}, 'test.theirs')`
    await stranger.untilKind('test.theirs')
    await mine.untilKind('test.mine')
    expect([stranger.kinds(), mine.kinds()]).toEqual([
      ['ready', 'test.theirs'],
      ['ready', 'test.mine'],
    ])
  })
})

describe('what is told', () => {
  it('of the audit log is its entries, to who may read it alone', async () => {
    const owner = await firstOwner(our.service)
    const followAs = async (role: 'auditor' | 'operator', query = '') => {
      const { browser } = await letIn(our.service, owner, role, `${role}${query.length}`)
      const headers = { cookie: browser.cookie, origin: browser.uiOrigin }
      const reader = await readEvents(`${our.service.url}/v1/events/stream${query}`, headers)
      open.push(reader)
      await reader.untilKind('ready')
      return reader
    }
    const operator = await followAs('operator')
    const auditor = await followAs('auditor')
    const made = await owner.browser.post('/v1/admin/apikeys', { name: 'told', scopes: ['chat'] })
    await write('test.after')
    await Promise.all([auditor.untilKind('test.after'), operator.untilKind('test.after')])
    const entries = auditor.of('audit.added').map(({ data }) => data)
    const entry = entries.find(({ action }) => action === 'api_key.create')
    expect(entry).toMatchObject({ target: made.body['id'] })
    const { body } = await owner.browser.get(`/v1/admin/audit?id=${entry.audit_id}`)
    expect(body['items']).toHaveLength(1)
    expect(operator.of('audit.added')).toEqual([])
    // Read from the store they are the same.
    const cursor = `?cursor=${operator.of('ready')[0]?.id}`
    expect((await followAs('operator', cursor)).of('audit.added')).toEqual([])
    expect((await followAs('auditor', cursor)).of('audit.added')).not.toEqual([])
  })

  it('is the way of a message: created, started, answered, completed, each with its fields and its cursor as id', async () => {
    const reader = await ready()
    const conversation = await our.say(['hello'])
    await reader.untilKind('turn.completed')
    expect(told(reader).map(({ kind }) => kind)).toEqual([
      'message.created',
      'turn.started',
      'message.created',
      'turn.completed',
    ])
    for (const { id, kind, data } of told(reader)) {
      expect(data).toMatchObject({ kind, cursor: id, conversation_id: conversation, channel: null })
      expect(Date.parse(data.at)).toBeGreaterThan(0)
    }
    const [question, , answer, end] = told(reader).map(({ data }) => data)
    expect(question).toMatchObject({ seq: 1, role: 'user', message: { role: 'user', content: 'hello' } })
    expect(answer).toMatchObject({ seq: 2, role: 'assistant', message: { content: 're: hello' }, turn_id: end.turn_id })
    expect(end).toMatchObject({ status: 'completed', finish_reason: 'stop', prompt_tokens: expect.any(Number) })
  })

  it('begins with the time to wait before coming back', async () => {
    const reader = await ready()
    expect(reader.response.headers.get('content-type')).toContain('text/event-stream')
    expect(reader.response.headers.get('cache-control')).toContain('no-store')
    expect(reader.text.startsWith('retry: 2000\n\n')).toBe(true)
  })

  it('is of the kinds, the conversation and the channel asked for, live and replayed', async () => {
    const { db } = our.service
    const channel = await createChannel(db, firstWorkspaceId, {
      ...{ name: 'filtered', adapter: 'generic', config: {}, secrets: null, isEnabled: true, isPaused: false },
    })
    await notifyChange(db, 'channels')
    await expect.poll(async () => (await follow('?channel=filtered')).response.status).toBe(200)
    const conversation = newConversationId()
    const from = (await ready()).lastId()
    const filters = ['?kinds=test.a,test.b', `?conversation_id=${conversation}`, '?channel=filtered']
    const live = await Promise.all(filters.map((filter) => ready(filter)))
    await write('test.a')
    await write('test.b', { conversation })
    await write('test.c', { conversation })
    await db.system`
      insert into events (workspace_id, kind, channel_id)
      values (${uuidOf(firstWorkspaceId)}, 'test.d', ${uuidOf(channel.id)})`
    const wanted = [['test.a', 'test.b'], ['test.b', 'test.c'], ['test.d']]
    const replayed = await Promise.all(filters.map((filter) => follow(`${filter}&cursor=${from}`)))
    for (const readers of [live, replayed]) {
      for (const [at, reader] of readers.entries()) {
        await reader.until(() => told(reader).length >= (wanted[at]?.length ?? 0), filters[at])
        expect(told(reader).map(({ kind }) => kind)).toEqual(wanted[at])
      }
    }
    expect(told(live[2] as SseReader)[0]?.data.channel).toBe('filtered')
  })

  it('stays below 64 KiB an event: of a message of a megabyte it is told that it is too long', async () => {
    const reader = await ready()
    // A control character is six bytes in JSON: the worst that a text can be.
    our.service.endpoint.script(json(completionOf('\u0001ж'.repeat(350_000))))
    const body = { model: 'm', messages: [{ role: 'user', content: 'short' }] }
    const header = { 'x-service-conversation-id': 'new' }
    expect((await our.service.post('/v1/chat/completions', body, header)).status).toBe(200)
    await reader.untilKind('turn.completed')
    const [question, answer] = reader.of('message.created').map(({ data }) => data)
    expect(question).toMatchObject({ message: { content: 'short' } })
    expect(answer).toMatchObject({ role: 'assistant', is_too_long: true, message_id: expect.stringMatching(/^msg_/) })
    expect(answer.message).toBeUndefined()
    for (const event of reader.text.split('\n\n')) expect(Buffer.byteLength(event)).toBeLessThan(65_536)
  })

  it('of a message just short enough is the whole of it, below 64 KiB', async () => {
    const reader = await ready()
    our.service.endpoint.script(json(completionOf('\u0001'.repeat(8_000))))
    await our.say(['short'])
    await reader.untilKind('turn.completed')
    expect(reader.of('message.created')[1]?.data.message.content).toHaveLength(8_000)
    for (const event of reader.text.split('\n\n')) expect(Buffer.byteLength(event)).toBeLessThan(65_536)
  })
})

describe('a reader who comes back', () => {
  it('by Last-Event-ID or by cursor gets what it missed, while more is being written, without gap or repetition', async () => {
    const conversation = newConversationId()
    const filter = `?conversation_id=${conversation}`
    const seen: number[] = []
    let from = (await ready(filter)).lastId()
    const total = 3_000
    let written = 0
    const writing = (async () => {
      // Several connections at once: transactions commit in another order than they begin.
      const one = async () => {
        while (written < total) await write('test.n', { conversation, payload: { n: written++ } })
      }
      await Promise.all([one(), one(), one(), one()])
    })()
    for (let round = 0; seen.length < total; round++) {
      const reader =
        round % 2 === 0
          ? await follow(filter, { 'last-event-id': from })
          : await follow(`${filter}&cursor=${encodeURIComponent(from)}`)
      // Leaves in the middle of the replay, or soon after it became live.
      const enough = Math.min(total - seen.length, [1, 150, 700][round % 3] ?? 1)
      await reader.until(() => told(reader).length >= enough, `${enough} more`)
      reader.leave()
      seen.push(...told(reader).map(({ data }) => data.n))
      from = reader.lastId()
    }
    await writing
    expect(seen.length).toBe(total)
    expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: total }, (_, n) => n))
  })

  it('with both says by the header where it is: a browser keeps its first address', async () => {
    const first = (await ready()).lastId()
    await write('test.one')
    const reader = await follow(`?cursor=${first}`)
    const { id = '' } = await reader.untilKind('test.one')
    await write('test.two')
    const again = await follow(`?cursor=${first}`, { 'last-event-id': id })
    await again.untilKind('test.two')
    expect(told(again).map(({ kind }) => kind)).toEqual(['test.two'])
  })

  it('after hours of nothing comes back to where it was told that it is ready', async () => {
    const filter = '?kinds=test.rare'
    const idle = await ready(filter)
    idle.leave()
    await write('test.common')
    await write('test.rare')
    const back = await follow(filter, { 'last-event-id': idle.lastId() })
    await back.untilKind('test.rare')
    expect(told(back).map(({ kind }) => kind)).toEqual(['test.rare'])
  })

  it('with what is no cursor is 400', async () => {
    for (const cursor of ['x', '1', 'abcdef01-1', 'abcdef01-1-1-1', 'abcdef01-1-A', `abcdef01-${'1'.repeat(14)}-1`]) {
      const { response } = await follow(`?cursor=${cursor}`)
      expect([cursor, response.status]).toEqual([cursor, 400])
      expect(await response.json()).toMatchObject({ error: { code: 'bad_request', param: 'cursor' } })
      expect((await follow('', { 'last-event-id': cursor })).response.status).toBe(400)
    }
  })

  it('with wrong kinds, or a channel that is not there, is 400 and 404', async () => {
    for (const kinds of ['a', 'a.b,', "a.b'", Array.from({ length: 51 }, () => 'a.b').join(',')])
      expect((await follow(`?kinds=${kinds}`)).response.status).toBe(400)
    expect((await follow('?conversation_id=conv_x')).response.status).toBe(400)
    expect((await follow('?channel=nowhere')).response.status).toBe(404)
    // Of another workspace it is not there either.
    const theirs = await follow('?channel=generic', {}, our.stranger)
    expect(theirs.response.status).toBe(404)
    expect(await theirs.response.json()).toMatchObject({ error: { message: 'There is no channel "generic".' } })
  })

  it('with a cursor of another database, or one beyond the end, is told to begin anew, and hears what follows', async () => {
    const { db } = our.service
    const name = await feedName(db)
    const { xid } = await lastPosition(db)
    const cursors = [
      cursorOf('00000000', { xid: 5n, id: 5n }),
      cursorOf(name, { xid: xid + 1_000_000n, id: 5n }),
      cursorOf(name, { xid: 5n, id: 2n ** 64n }),
      `${name}-zzzzzzzzzzzzz-zzzzzzzzzzzzz`,
    ]
    const readers = await Promise.all(cursors.map((cursor) => follow(`?kinds=test.after_reset&cursor=${cursor}`)))
    for (const reader of readers) {
      await reader.untilKind('ready')
      expect(reader.heard[0]).toMatchObject({ kind: 'reset', data: { kind: 'reset', reason: 'unknown' } })
      expect(reader.heard[0]?.id).toBe(reader.heard[0]?.data.cursor)
    }
    await write('test.after_reset')
    for (const reader of readers) {
      await reader.untilKind('test.after_reset')
      expect(reader.kinds()).toEqual(['reset', 'ready', 'test.after_reset'])
    }
  })

  it('with a cursor older than the retention is told so; one at its very edge has missed nothing', async () => {
    const { db } = our.service
    const old = (await ready()).lastId()
    await write('test.old')
    const reader = await follow('', { 'last-event-id': old })
    const edge = (await reader.untilKind('test.old')).id ?? ''
    await write('test.new')
    await reader.untilKind('test.new')
    await db.system`update events set at = now() - interval '8 days' where kind <> 'test.new'`
    const held = await heldNow(db, 'retention')
    while ((await deleteEvents(db, held, new Date(Date.now() - 86_400_000), 1_000)) > 0);
    const back = await follow('', { 'last-event-id': edge })
    await back.untilKind('ready')
    expect(back.kinds()).toEqual(['test.new', 'ready'])
    for (const cursor of [old, cursorOf(await feedName(db), beginning)]) {
      const late = await follow('', { 'last-event-id': cursor })
      await late.untilKind('ready')
      expect(late.kinds()).toEqual(['reset', 'ready'])
      expect(late.heard[0]?.data).toMatchObject({ reason: 'expired', cursor: late.lastId() })
    }
  })
})

it('a stream ends at once when the service stops, and its reader comes back without loss', async () => {
  const reader = await ready()
  const beganMs = performance.now()
  const stopping = our.stop()
  await reader.until(() => reader.isOver, 'the end')
  // Others may use the cores; a stream that waited for the drain to be over would take a hundred seconds.
  expect(performance.now() - beganMs).toBeLessThan(20_000)
  await stopping
  expect(reader.kinds()).not.toContain('error')
  expect(our.service.lines.filter(({ level }) => level >= 50)).toEqual([])
})
