/** `GET /v1/web/stream` through the whole service: an answer as it is made, for whoever watches, leaves and comes back. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ConversationId } from '../../../store/id.ts'
import { testKey } from '../../support/gateway.ts'
import { type Talk, talk } from '../admin/conversations/support/talk.ts'
import { readEvents, type SseReader } from '../events/support/sse-reader.ts'
import { type ScriptedTurn, scriptedTurn, ticketFor, visitors } from './support/web-chat.ts'

let our: Talk
const guests = visitors(() => our)
beforeAll(async () => {
  our = await talk()
})
afterAll(() => our.stop())
afterEach(() => guests.leave())

/** Watches with a ticket, from the cursor on. */
async function watcher(conversation: string, cursor = ''): Promise<SseReader> {
  const { ticket } = await ticketFor(our, conversation)
  const reader = await guests.watch({ ticket, ...(cursor && { cursor }) })
  expect(reader.response.status).toBe(200)
  return reader
}

async function ready(conversation: string): Promise<SseReader> {
  const reader = await watcher(conversation)
  await reader.untilKind('ready')
  return reader
}

/** A conversation in which a turn runs that says what the test lets it say. */
async function running(): Promise<{ id: ConversationId; turn: ScriptedTurn; turnId: string }> {
  const id = await our.say(['before'])
  const turn = scriptedTurn()
  our.service.endpoint.script(turn.answer)
  const { body } = await our.post('post', { conversation_id: id, text: 'go' })
  await turn.asked
  return { id, turn, turnId: body.turn_id }
}

const storedAnswer = async (id: ConversationId, count = 4) =>
  (await our.messages(id, (all) => all.length >= count)).at(-1)?.content

describe('who may watch', () => {
  it('is who has a ticket, in the address or as a bearer, or a key that chats and names the conversation', async () => {
    const id = await our.say(['hello'])
    const { ticket } = await ticketFor(our, id)
    const bearers = [ticket, our.chatter, testKey]
    for (const bearer of bearers) {
      const reader = await guests.watch({ conversation_id: id }, { authorization: `Bearer ${bearer}` })
      await reader.untilKind('ready')
    }
    await (await guests.watch({ ticket })).untilKind('ready')
    expect((await guests.watch({}, { authorization: `Bearer ${testKey}` })).response.status).toBe(400)
    expect(
      (await guests.watch({ conversation_id: id }, { authorization: `Bearer ${our.reader}` })).response.status,
    ).toBe(403)
    const other = ticket.slice(0, -30) + (ticket.at(-30) === 'A' ? 'B' : 'A') + ticket.slice(-29)
    for (const bad of ['', 'wt_x', `${ticket}x`, other, testKey.replace('sk', 'wt')])
      expect((await guests.watch({ conversation_id: id, ticket: bad })).response.status).toBe(401)
  })

  it('of another conversation is nobody: a ticket shows its own, whatever else is named', async () => {
    const { id, turn } = await running()
    const { ticket, conversation_id } = await ticketFor(our, await our.say(['mine']))
    const reader = await guests.watch({ ticket, conversation_id: id })
    await reader.untilKind('ready')
    const rightful = await ready(id)
    await turn.word('secret')
    await turn.end()
    await rightful.untilKind('turn.completed')
    await our.say(['once more'], conversation_id as ConversationId)
    await reader.untilKind('turn.completed')
    expect(reader.text).not.toContain('secret')
    expect(reader.heard.every(({ data }) => data.kind === 'ready' || data.conversation_id === conversation_id)).toBe(
      true,
    )
  })

  it('of another workspace is nobody: not even what a running turn says is heard', async () => {
    const { id, turn } = await running()
    await turn.word('secret')
    const reader = await guests.watch({ conversation_id: id }, { authorization: `Bearer ${our.stranger}` })
    expect(reader.response.status).toBe(404)
    const made = await fetch(`${our.service.url}/v1/web/tickets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${our.stranger}`, 'content-type': 'application/json' },
      body: JSON.stringify({ conversation_id: id }),
    })
    expect(made.status).toBe(404)
    await turn.end()
  })

  it('comes with a cursor of the feed, or is 400', async () => {
    const { ticket } = await ticketFor(our)
    const { id = '' } = await (await guests.watch({ ticket })).untilKind('ready')
    for (const cursor of [
      'x',
      `${id}~`,
      `${id}~1.1`,
      `${id}~${'a'.repeat(32)}.x`,
      `${id}~${'a'.repeat(32)}.1234567890`,
    ])
      expect((await guests.watch({ ticket, cursor })).response.status).toBe(400)
    const any = await guests.watch({ ticket, cursor: `${id}~${'a'.repeat(32)}.17` })
    await any.untilKind('ready')
  })
})

describe('an answer on its way', () => {
  it('is heard word by word between its start and its end, the offsets without a gap', async () => {
    const id = await our.say(['before'])
    const turn = scriptedTurn()
    our.service.endpoint.script(turn.answer)
    const reader = await ready(id)
    const { body } = await our.post('post', { conversation_id: id, text: 'go' })
    const words = ['Hello ', 'w😀rld', '.']
    for (const [at, word] of words.entries()) {
      await turn.word(word)
      await reader.until(() => reader.said() === words.slice(0, at + 1).join(''), word)
    }
    await turn.end()
    await reader.untilKind('turn.completed')
    const kinds = reader.kinds().filter((kind, at, all) => kind !== all[at - 1])
    expect(kinds).toEqual([
      'ready',
      'message.created',
      'turn.started',
      'turn.delta',
      'message.created',
      'turn.completed',
    ])
    let offset = 0
    for (const { data, id: cursor } of reader.of('turn.delta')) {
      expect(data).toMatchObject({ turn_id: body.turn_id, offset, cursor })
      offset += data.text.length
    }
    expect(reader.said()).toBe(words.join(''))
    expect(reader.of('message.created')[1]?.data.message.content).toBe(words.join(''))
  })

  it('is heard whole by who comes late, and by every one of several', async () => {
    const { id, turn } = await running()
    await turn.word('one ')
    const first = await watcher(id)
    await first.until(() => first.said() === 'one ')
    await turn.word('two ')
    const second = await watcher(id)
    await second.until(() => second.said() === 'one two ')
    await turn.word('three')
    await turn.end()
    for (const reader of [first, second]) {
      await reader.untilKind('turn.completed')
      expect(reader.said()).toBe('one two three')
    }
  })

  it('of a completion that somebody streams into the conversation is heard too', async () => {
    const id = await our.say(['before'])
    const turn = scriptedTurn()
    our.service.endpoint.script(turn.answer)
    const reader = await ready(id)
    const body = { model: 'm', stream: true, messages: [{ role: 'user', content: 'by the API' }] }
    const calling = our.service.post('/v1/chat/completions', body, { 'x-service-conversation-id': id })
    await turn.word('heard ')
    await reader.until(() => reader.said() === 'heard ')
    await turn.word('twice')
    await turn.end()
    const answer = await (await calling).text()
    await reader.untilKind('turn.completed')
    expect(reader.said()).toBe('heard twice')
    expect(answer).toContain('twice')
  })

  it('goes on when its watcher leaves', async () => {
    const { id, turn } = await running()
    await turn.word('one ')
    const reader = await watcher(id)
    await reader.until(() => reader.said() === 'one ')
    reader.leave()
    await turn.word('two')
    await turn.end()
    expect(await storedAnswer(id)).toBe('one two')
    expect((await turn.asked).isAborted).toBe(true) // closed by its own end
    expect(our.service.endpoint.abortedCalls).toBe(0)
  })
})

describe('who leaves in the middle of an answer and comes back', () => {
  it('gets exactly the rest, however often', async () => {
    const { id, turn } = await running()
    let heard = ''
    let cursor = ''
    for (const word of ['one ', 'tw😀 ', 'three ', 'four ']) {
      await turn.word(word)
      const reader = await watcher(id, cursor)
      await reader.until(() => reader.said().endsWith(word), word)
      reader.leave()
      heard += reader.said()
      cursor = reader.lastId()
      // A visit in which nothing is said does not lose the place.
      const silent = await watcher(id, cursor)
      await silent.untilKind('ready')
      silent.leave()
      expect(silent.said()).toBe('')
      cursor = silent.lastId()
    }
    await turn.word('five')
    const last = await watcher(id, cursor)
    await last.until(() => last.said() === 'five')
    await turn.end()
    await last.untilKind('turn.completed')
    heard += last.said()
    expect(heard).toBe('one tw😀 three four five')
    expect(last.of('message.created')[0]?.data.message.content).toBe(heard)
    expect(last.lastId()).not.toContain('~')
  })

  it('gets exactly the rest also when something else happened in the conversation meanwhile', async () => {
    const { id, turn } = await running()
    await turn.word('one ')
    const first = await watcher(id)
    await first.until(() => first.said() === 'one ')
    await our.post('post', { conversation_id: id, text: 'and then' })
    await first.untilKind('message.created')
    first.leave()
    await turn.word('two')
    const second = await watcher(id, first.lastId())
    await second.until(() => second.said() !== '', 'the rest')
    expect(second.said()).toBe('two')
    await turn.end()
    await second.untilKind('turn.completed')
  })

  it('gets the whole answer as it is stored when the turn has ended meanwhile, and no word of it twice', async () => {
    const { id, turn } = await running()
    await turn.word('one ')
    const first = await watcher(id)
    await first.until(() => first.said() === 'one ')
    first.leave()
    await turn.word('two')
    await turn.end()
    await storedAnswer(id)
    const second = await watcher(id, first.lastId())
    await second.untilKind('turn.completed')
    expect(second.said()).toBe('')
    expect(second.of('message.created').map(({ data }) => data.message.content)).toEqual(['one two'])
    await second.untilKind('ready')
    const next = await our.say(['next'], id)
    expect(next).toBe(id)
    await second.untilKind('turn.completed', 2)
  })

  it('and was there before the turn began gets its start and all of it', async () => {
    const id = await our.say(['before'])
    const first = await ready(id)
    first.leave()
    const turn = scriptedTurn()
    our.service.endpoint.script(turn.answer)
    await our.post('post', { conversation_id: id, text: 'go' })
    await turn.word('all of it')
    const second = await watcher(id, first.lastId())
    await second.until(() => second.said() === 'all of it')
    expect(second.kinds()).toContain('turn.started')
    expect(second.kinds().indexOf('turn.started')).toBeLessThan(second.kinds().indexOf('turn.delta'))
    await turn.end()
    await second.untilKind('turn.completed')
  })
})

it('a long answer is told in events below 64 KiB to who comes late', async () => {
  const { id, turn } = await running()
  const text = '\u0001😀'.repeat(40_000)
  await turn.word(text)
  const first = await watcher(id)
  await first.until(() => first.said().length === text.length)
  const late = await watcher(id)
  await late.until(() => late.said().length === text.length)
  for (const reader of [first, late]) {
    expect(reader.said()).toBe(text)
    for (const event of reader.text.split('\n\n')) expect(Buffer.byteLength(event)).toBeLessThan(65_536)
  }
  await turn.end()
  await first.untilKind('turn.completed')
})

it('tickets are in no line of the log', async () => {
  const { ticket } = await ticketFor(our)
  await readEvents(`${our.service.url}/v1/web/stream?ticket=${ticket}&cursor=x`)
  const sealed = ticket.slice('wt_'.length)
  const log = JSON.stringify(our.service.lines)
  expect(log).toContain('/v1/web/stream')
  for (const part of [sealed.slice(0, 40), sealed.slice(-40)]) expect(log).not.toContain(part)
})
