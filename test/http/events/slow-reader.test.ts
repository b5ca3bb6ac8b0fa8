/** A reader of `GET /v1/events/stream` that is slow: cut off from what comes live, waited for in what it has missed. */
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ConversationId, firstWorkspaceId, newConversationId, uuidOf } from '../../../store/id.ts'
import { testKey } from '../../support/gateway.ts'
import { type Talk, talk } from '../admin/conversations/support/talk.ts'
import { readEvents, type SseReader } from './support/sse-reader.ts'

let our: Talk
const open: SseReader[] = []
beforeAll(async () => {
  our = await talk()
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

const told = (reader: SseReader) => reader.heard.filter(({ kind }) => kind !== 'ready' && kind !== 'reset')

describe('a reader that stands still', () => {
  it('is cut off at the bound, holds nobody up, and comes back by its cursor', async () => {
    const conversation = newConversationId()
    const path = `/v1/events/stream?conversation_id=${conversation}`
    const { port } = new URL(our.service.url)
    const socket = connect({ port: Number(port), host: '127.0.0.1' })
    let got = ''
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      got += bytes.toString('latin1')
    })
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
    socket.write(`GET ${path} HTTP/1.1\r\nHost: example.com\r\nAuthorization: Bearer ${testKey}\r\n\r\n`)
    await expect.poll(() => got).toContain('event: ready')
    socket.pause()
    const brisk = await ready(`?conversation_id=${conversation}`)
    const streams = () => our.service.lines.filter(({ outcome }) => outcome === 'cut_off').length
    const before = streams()
    let written = 0
    for (; streams() === before && written < 1_000; written += 12) {
      await write('test.big', { conversation, count: 12, payload: { text: 'x'.repeat(20_000) } })
      await brisk.until(() => told(brisk).length === written + 12, 'what was written')
    }
    expect(streams()).toBe(before + 1)
    socket.resume()
    await closed
    const ids = [...got.matchAll(/^id: (\S+)\n(?=event: \S+\ndata: .*\n\n)/gm)].map(([, id]) => id)
    const [last = ''] = ids.slice(-1)
    const whole = ids.length - 1
    expect(whole).toBeLessThan(written)
    const back = await follow(`?conversation_id=${conversation}`, { 'last-event-id': last })
    await back.untilKind('ready')
    const all = told(brisk).map(({ id }) => id)
    expect(told(back).map(({ id }) => id)).toEqual(all.slice(all.indexOf(last) + 1))
  })

  it('during a replay is waited for: what was missed comes at the pace of who reads', async () => {
    const conversation = newConversationId()
    const other = await ready('?kinds=test.mark')
    const from = other.lastId()
    await write('test.big', { conversation, count: 1_200, payload: { text: 'x'.repeat(20_000) } })
    await write('test.mark')
    await other.untilKind('test.mark')
    const path = `/v1/events/stream?conversation_id=${conversation}&cursor=${from}`
    const socket = connect({ port: Number(new URL(our.service.url).port), host: '127.0.0.1' })
    socket.on('error', () => {})
    let events = 0
    let tail = ''
    socket.on('data', (bytes) => {
      const text = tail + bytes.toString('latin1')
      events += text.split('event: test.big\n').length - 1
      tail = text.slice(-15)
      socket.pause()
      setImmediate(() => socket.resume())
    })
    socket.write(`GET ${path} HTTP/1.1\r\nHost: example.com\r\nAuthorization: Bearer ${testKey}\r\n\r\n`)
    await expect.poll(() => events).toBe(1_200)
    socket.destroy()
  })
})
