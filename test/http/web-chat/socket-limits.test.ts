/** The bounds of `/v1/web/ws`: frames that wait, readers that are slow. */
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { firstWorkspaceId, uuidOf } from '../../../store/id.ts'
import { type Talk, talk } from '../admin/conversations/support/talk.ts'
import { readEvents } from '../events/support/sse-reader.ts'
import type { ChatClient } from './support/chat-socket.ts'
import { atRest, chatIn as chatOf, scriptedTurn, visitors } from './support/web-chat.ts'

let our: Talk
const guests = visitors(() => our)
const chatIn = () => chatOf(our, guests)
beforeAll(async () => {
  our = await talk()
})
afterAll(() => our.stop())
afterEach(() => guests.leave())

/** Afterwards the conversation is there. */
async function firstTurn(client: ChatClient): Promise<void> {
  client.send({ type: 'send', id: 'first', text: 'first' })
  await client.untilKind('turn.completed')
}

it('the seventeenth frame that waits for its answer is refused; the others are answered', async () => {
  const { client, id } = await chatIn()
  const held = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  await firstTurn(client)
  const lock = our.service.db.transaction('system', async (query) => {
    await query`select id from conversations where id = ${uuidOf(id)} for update`
    locked.resolve()
    await held.promise
  })
  await locked.promise
  for (let at = 0; at < 17; at++) client.send({ type: 'send', id: `f${at}`, text: `f${at}` })
  expect(await client.answerTo('f16')).toMatchObject({
    kind: 'error',
    error: { type: 'rate_limit_error', code: 'too_many_frames' },
  })
  held.resolve()
  await lock
  for (let at = 0; at < 16; at++) expect(await client.answerTo(`f${at}`)).toMatchObject({ kind: 'ok' })
  client.send({ type: 'send', id: 'later', text: 'later' })
  expect(await client.answerTo('later')).toMatchObject({ kind: 'ok' })
  await atRest(our, id)
})

describe('a slow reader', () => {
  /** A WebSocket by hand, whose socket the test may leave unread. Counts what comes. */
  async function byHand(query: Record<string, string>, count: string, isGentle = false) {
    const { port } = new URL(our.service.url)
    const socket = connect({ port: Number(port), host: '127.0.0.1' })
    const counted = { found: 0, isReady: false, isClosed: false }
    let tail = ''
    socket.on('error', () => {})
    socket.on('close', () => {
      counted.isClosed = true
    })
    socket.on('data', (data) => {
      const text = tail + data.toString('latin1')
      counted.found += text.split(count).length - 1
      counted.isReady ||= text.includes('"kind":"ready"')
      tail = text.slice(1 - count.length)
      if (!isGentle) return
      socket.pause()
      setImmediate(() => socket.resume())
    })
    socket.write(
      `GET /v1/web/ws?${new URLSearchParams(query)} HTTP/1.1\r\nHost: example.com\r\nConnection: Upgrade\r\n` +
        'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    )
    await expect.poll(() => counted.isReady).toBe(true)
    return { socket, counted }
  }

  it('of what comes live is cut off once too much waits for it, and another one is not held up', async () => {
    const { client, ticket } = await chatIn()
    const slow = await byHand({ ticket }, '"kind":"turn.delta"')
    slow.socket.pause()
    // More than both sockets' buffers in the kernel and the service's own can hold, and no answer longer than one may be.
    const word = 'x'.repeat(60_000)
    for (const round of [1, 2, 3]) {
      const turn = scriptedTurn()
      our.service.endpoint.script(turn.answer)
      client.send({ type: 'send', id: `go ${round}`, text: 'go' })
      for (let length = word.length; length <= 100 * word.length; length += word.length) {
        await turn.word(word)
        await client.until(() => {
          const last = client.heard.at(-1)
          return last.kind === 'turn.delta' && last.offset + last.text.length === length
        })
      }
      client.send({ type: 'cancel', id: `enough ${round}` })
      expect(await client.answerTo(`enough ${round}`)).toMatchObject({ kind: 'ok' })
    }
    slow.socket.resume()
    await expect.poll(() => slow.counted.isClosed).toBe(true)
    expect(slow.counted.found).toBeGreaterThan(0)
    expect(slow.counted.found).toBeLessThan(client.of('turn.delta').length)
  })

  it('of what it has missed is waited for, however long the rest is', async () => {
    const { client, id, ticket } = await chatIn()
    const from = client.heard.at(-1).cursor
    await firstTurn(client)
    await our.service.db.system`
      insert into events (workspace_id, kind, conversation_id, payload)
      select ${uuidOf(firstWorkspaceId)}, 'test.big', ${uuidOf(id)}, json_build_object('text', repeat('x', 45000))
      from generate_series(1, 600)`
    await client.leave()
    // Once somebody has heard of a later event, all of these are there to be replayed.
    const other = await readEvents(`${our.service.url}/v1/events/stream?kinds=turn.completed`, {
      authorization: `Bearer ${our.reader}`,
    })
    await other.untilKind('ready')
    await our.say(['mark'], id)
    await other.untilKind('turn.completed')
    other.leave()
    const slow = await byHand({ ticket, cursor: from }, '"kind":"test.big"', true)
    expect(slow.counted).toEqual({ found: 600, isReady: true, isClosed: false })
    slow.socket.destroy()
  })
})
