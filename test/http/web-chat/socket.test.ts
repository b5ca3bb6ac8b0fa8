/** `/v1/web/ws` through the whole service: what a chat says and hears, what it may not, and how a socket ends. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { testKey } from '../../support/gateway.ts'
import { streamOf } from '../../support/model-endpoint.ts'
import { type Body, echo, type Talk, talk } from '../admin/conversations/support/talk.ts'
import { rawClient } from '../support/raw-client.ts'
import { atRest, chatIn as chatOf, scriptedTurn, ticketFor, visitors } from './support/web-chat.ts'

let our: Talk
const guests = visitors(() => our)
const chatIn = (conversation?: string) => chatOf(our, guests, conversation)
beforeAll(async () => {
  our = await talk()
})
afterAll(() => our.stop())
afterEach(async () => {
  await guests.leave()
  our.service.endpoint.always(echo)
})

/** A chat in which a turn runs that has said one word. */
async function running() {
  const chat = await chatIn()
  const turn = scriptedTurn()
  our.service.endpoint.script(turn.answer)
  chat.client.send({ type: 'send', id: 'go', text: 'go' })
  await turn.word('one ')
  await chat.client.until(() => chat.client.said() === 'one ')
  return { ...chat, turn, turnId: (await chat.client.answerTo('go')).turn_id as string }
}

const contents = (messages: Body[]): unknown[] => messages.map(({ content }) => content)

describe('send', () => {
  it('is answered with the ids, then the message, the turn, its words, the answer and the end are heard', async () => {
    const { client, id } = await chatIn()
    const turn = scriptedTurn()
    our.service.endpoint.script(turn.answer)
    client.send({ type: 'send', id: 'a', text: ' hello ' })
    const ok = await client.answerTo('a')
    expect(ok).toMatchObject({ kind: 'ok', id: 'a', message_id: expect.stringMatching(/^msg_/) })
    for (const word of ['Hi ', 'there']) await turn.word(word)
    await turn.end()
    await client.untilKind('turn.completed')
    const kinds = client.kinds().filter((kind, at, all) => kind !== all[at - 1] && kind !== 'ok')
    expect(kinds).toEqual([
      'ready',
      'message.created',
      'turn.started',
      'turn.delta',
      'message.created',
      'turn.completed',
    ])
    expect(client.said()).toBe('Hi there')
    const [question, answer] = client.of('message.created')
    expect(question).toMatchObject({ message_id: ok.message_id, conversation_id: id, message: { content: 'hello' } })
    expect(answer).toMatchObject({ turn_id: ok.turn_id, message: { content: 'Hi there' } })
    expect(client.of('turn.completed')[0]).toMatchObject({ turn_id: ok.turn_id, status: 'completed' })
    const [told] = (await our.get(`conversations/turns?conversation_id=${id}`)).body.turns
    expect(told).toMatchObject({ id: ok.turn_id, origin: 'web' })
  })

  it('of several at once, in a conversation that the first of them makes, keeps their order', async () => {
    const { client, id } = await chatIn()
    const texts = Array.from({ length: 12 }, (_, at) => `text ${at}`)
    for (const text of texts) client.send({ type: 'send', id: text, text })
    for (const text of texts) expect(await client.answerTo(text)).toMatchObject({ kind: 'ok' })
    const messages = await our.messages(id, (all) => all.filter(({ role }) => role === 'user').length === 12)
    expect(contents(messages.filter(({ role }) => role === 'user'))).toEqual(texts)
    await atRest(our, id)
  })

  it('is heard by every socket of the conversation, and goes on when the one who sent it leaves', async () => {
    const { client, id, ticket, turn } = await running()
    const other = await guests.chat({ ticket })
    await other.until(() => other.said() === 'one ')
    await client.leave()
    await turn.word('two')
    await turn.end()
    await other.untilKind('turn.completed')
    expect(other.said()).toBe('one two')
    expect(contents(await our.messages(id))).toEqual(['go', 'one two'])
  })

  it('to a conversation of another workspace, or none, opens no socket', async () => {
    const id = await our.say(['hello'])
    const { port } = new URL(our.service.url)
    const upgrade = (more: string) =>
      `GET /v1/web/ws?conversation_id=${id} HTTP/1.1\r\nHost: example.com\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n${more}\r\n`
    for (const [key, status] of [
      [our.stranger, '404'],
      [our.reader, '403'],
      ['sk-nobody-has-this-key-at-all', '401'],
      [our.chatter, '101'],
    ]) {
      const client = await rawClient(Number(port), upgrade(`Authorization: Bearer ${key}\r\n`))
      await client.untilText('\r\n\r\n')
      expect(client.received).toMatch(new RegExp(`^HTTP/1.1 ${status}`))
      client.destroy()
    }
  })
})

describe('coming back', () => {
  it('in the middle of an answer brings exactly the rest', async () => {
    const { client, ticket, turn } = await running()
    await client.leave()
    await turn.word('two')
    const again = await guests.chat({ ticket, cursor: client.heard.at(-1).cursor })
    await again.until(() => again.said() !== '')
    expect(again.said()).toBe('two')
    await turn.end()
    await again.untilKind('turn.completed')
  })

  it('with a cursor of another database is a reset', async () => {
    const { ticket } = await chatIn()
    const client = await guests.chat({ ticket, cursor: '00000000-1-1' })
    await client.untilKind('ready')
    expect(client.kinds()).toEqual(['reset', 'ready'])
    await expect(guests.chat({ ticket, cursor: 'x' })).rejects.toThrow('not opened')
  })
})

describe('cancel', () => {
  it('ends the call of the model; the turn is told as cancelled, and no answer is stored', async () => {
    const { client, id, turn, turnId } = await running()
    client.send({ type: 'cancel', id: 'c' })
    expect(await client.answerTo('c')).toEqual({ kind: 'ok', id: 'c', turn_id: turnId })
    await (await turn.asked).aborted
    expect(await client.untilKind('turn.cancelled')).toMatchObject({ turn_id: turnId })
    client.send({ type: 'send', id: 'next', text: 'next' })
    await client.untilKind('turn.completed')
    expect(contents(await our.messages(id))).toEqual(['go', 'next', 're: next'])
  })

  it('of a turn that waits leaves the one that runs alone; of none it is an error', async () => {
    const { client, id, turn } = await running()
    client.send({ type: 'send', id: 'b', text: 'behind' })
    const { turn_id } = await client.answerTo('b')
    client.send({ type: 'cancel', id: 'c', turn_id })
    expect(await client.answerTo('c')).toMatchObject({ kind: 'ok', turn_id })
    await turn.word('two')
    await turn.end()
    await client.untilKind('turn.completed')
    expect(client.said()).toBe('one two')
    expect((await our.messages(id)).filter(({ role }) => role === 'assistant')).toHaveLength(1)
    for (const more of [{}, { turn_id }]) {
      const frame = { type: 'cancel', id: `d${JSON.stringify(more)}`, ...more }
      client.send(frame)
      expect(await client.answerTo(frame.id)).toMatchObject({ kind: 'error', error: { code: 'not_found' } })
    }
  })
})

describe('regenerate', () => {
  it('has the last answer made anew, which supersedes it', async () => {
    const id = await our.say(['question'])
    const { client } = await chatIn(id)
    our.service.endpoint.script(streamOf(['re: ', 'better']))
    client.send({ type: 'regenerate', id: 'r' })
    const { turn_id } = await client.answerTo('r')
    expect(await client.untilKind('turn.completed')).toMatchObject({ turn_id })
    const messages = await our.messages(id)
    expect(contents(messages)).toEqual(['question', 're: question', 're: better'])
    expect(messages[1].superseded_by).toBe(messages[2].id)
    expect(messages[2].superseded_by ?? null).toBeNull()
  })

  it('is refused while a turn runs, or where nothing was said', async () => {
    const { client, turn } = await running()
    client.send({ type: 'regenerate', id: 'r' })
    expect(await client.answerTo('r')).toMatchObject({ kind: 'error', error: { code: 'cannot_regenerate' } })
    await turn.end()
    await client.untilKind('turn.completed')
    const { client: empty } = await chatIn()
    empty.send({ type: 'regenerate', id: 'r' })
    expect(await empty.answerTo('r')).toMatchObject({ kind: 'error' })
  })
})

it('typing reaches the other sockets of the conversation, and nobody else', async () => {
  const { client, ticket } = await chatIn()
  const other = await guests.chat({ ticket })
  const { client: stranger } = await chatIn()
  await other.untilKind('ready')
  client.send({ type: 'typing' })
  await other.untilKind('typing')
  for (const [at, each] of [client, stranger, other].entries()) {
    each.send({ type: 'ping', id: `p${at}` })
    await each.answerTo(`p${at}`)
  }
  expect([client, stranger, other].map((each) => each.of('typing').length)).toEqual([0, 0, 1])
})

describe('a bad frame', () => {
  it('is answered with an error that says what is wrong, and the socket lives', async () => {
    const { client } = await chatIn()
    const bad = [
      'no json',
      '[]',
      'null',
      '{}',
      '{"type":"dance"}',
      '{"type":"send"}',
      '{"type":"send","text":"  "}',
      '{"type":"send","text":"x","more":1}',
      JSON.stringify({ type: 'send', text: 'x'.repeat(32_001) }),
      JSON.stringify({ type: 'ping', id: 'x'.repeat(65) }),
      '{"type":"cancel","turn_id":"turn_x"}',
    ]
    for (const frame of bad) client.sendRaw(frame)
    await client.untilKind('error', bad.length)
    for (const { error } of client.of('error'))
      expect(error).toMatchObject({ type: 'invalid_request_error', code: 'bad_request', message: expect.any(String) })
    client.send({ type: 'ping', id: 'alive' })
    expect(await client.answerTo('alive')).toEqual({ kind: 'pong', id: 'alive' })
  })

  it('of bytes closes the socket with 1003, one over 64 KiB closes it too', async () => {
    const { client } = await chatIn()
    client.sendRaw(new Uint8Array([1, 2, 3]))
    await client.until(() => client.closed !== undefined)
    expect(client.closed).toEqual({ code: 1003, reason: 'text frames only' })
    const { client: second } = await chatIn()
    second.sendRaw(`"${'x'.repeat(65_534)}"`)
    await second.untilKind('error')
    second.sendRaw(`"${'x'.repeat(65_535)}"`)
    await second.until(() => second.closed !== undefined)
    expect(second.of('error')).toHaveLength(1)
  })

  it('nested deep neither breaks the service nor the socket', async () => {
    const { client } = await chatIn()
    client.sendRaw('['.repeat(60_000))
    client.sendRaw(`${'['.repeat(30_000)}${']'.repeat(30_000)}`)
    client.sendRaw(`{"type":"ping","id":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`)
    await client.untilKind('error', 3)
    client.send({ type: 'ping', id: 'alive' })
    await client.answerTo('alive')
  })
})

describe('the door', () => {
  it('is 426 for who asks without an upgrade, 401 without a ticket', async () => {
    const { ticket } = await ticketFor(our)
    const plain = await fetch(`${our.service.url}/v1/web/ws?ticket=${ticket}`)
    expect(plain.status).toBe(426)
    expect(plain.headers.get('upgrade')).toBe('websocket')
    expect((await fetch(`${our.service.url}/v1/web/ws`)).status).toBe(401)
    for (const query of [{}, { ticket: 'wt_x' }] as Record<string, string>[])
      await expect(guests.chat(query)).rejects.toThrow('not opened')
    const key = await fetch(`${our.service.url}/v1/web/ws`, { headers: { authorization: `Bearer ${testKey}` } })
    expect(key.status).toBe(400)
  })

  it('closes with 1001 when the service stops', async () => {
    const { client } = await chatIn()
    await our.stop()
    await client.until(() => client.closed !== undefined, 'the close')
    expect(client.closed).toEqual({ code: 1001, reason: 'the service stops' })
    expect(our.service.lines.filter(({ level }) => level >= 50)).toEqual([])
  })
})
