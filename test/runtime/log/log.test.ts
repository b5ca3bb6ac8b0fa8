import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { createLog } from '../../../runtime/log/log.ts'
import { LogTail } from '../../../runtime/log/tail.ts'

function writtenLog(level = 'debug', tail?: LogTail) {
  const texts: string[] = []
  const destination = new Writable({
    write(chunk, _encoding, done) {
      texts.push(String(chunk))
      done()
    },
  })
  const log = createLog({ level, destination, ...(tail && { tail }) })
  return { log, texts, last: () => JSON.parse(texts.at(-1) ?? 'null') }
}

describe('log', () => {
  test('a line is one JSON object with level, time and message', () => {
    const { log, last } = writtenLog()
    log.info({ requestId: 'r1' }, 'hello')
    expect(last()).toMatchObject({ level: 'info', requestId: 'r1', msg: 'hello' })
    expect(new Date(last().time).toISOString()).toBe(last().time)
  })

  test('a field with a secret’s name is redacted at any depth, in lists, in errors and in children', () => {
    const { log, texts } = writtenLog()
    log.info({ a: { b: { c: { token: 'hidden1', apiKey: 'hidden2' } } }, headers: { Authorization: 'hidden3' } }, 'x')
    log.info({ SERVICE_LLM_API_KEY: 'hidden4', list: [{ client_secret: 'hidden5' }], 'set-cookie': ['hidden6'] }, 'x')
    log.error({ err: Object.assign(new Error('no'), { request: { password: 'hidden7' } }) }, 'x')
    log.child({ credentials: { user: 'hidden8' } }).info({ key: 'hidden9' }, 'x')
    expect(texts.join('')).not.toContain('hidden')
    expect(texts.join('').match(/\[redacted\]/g)?.length).toBe(9)
  })

  test('a field whose name only resembles a secret’s stays readable, and so does an unset secret', () => {
    const { log, last } = writtenLog()
    log.info({ tokens: 12, keyId: 'key_1', tokenizer: 'o200k', monkey: 'see', password: null, secret: false }, 'x')
    expect(last()).toMatchObject({
      tokens: 12,
      keyId: 'key_1',
      tokenizer: 'o200k',
      monkey: 'see',
      password: null,
      secret: false,
    })
  })

  test('a text with a secret’s shape is redacted in messages, values and stacks', () => {
    const { log, texts } = writtenLog()
    log.info('key is\nsk-abcdefgh12345678')
    log.info({ value: 'Bearer abcdefgh.1234_5678' }, 'postgres://user:pa55word@127.0.0.1/db')
    log.error({ err: new Error('refused sk-proj-abcdefgh1234') }, 'x')
    log.info({ said: ['"sk-abcdefgh12345678"'] }, 'a task-queue-name and a risk-management-plan')
    const all = texts.join('')
    for (const secret of ['abcdefgh', 'pa55word']) expect(all).not.toContain(secret)
    expect(all).toContain('a task-queue-name and a risk-management-plan')
    expect(all).toContain('postgres://user:[redacted]@127.0.0.1/db')
    for (const text of texts) JSON.parse(text)
  })

  test('an error keeps type, code, own fields, stack and the chain of its causes', () => {
    const { log, last } = writtenLog()
    const root = Object.assign(new TypeError('socket closed'), { code: 'ECONNRESET' })
    log.error({ err: Object.assign(new Error('query failed', { cause: root }), { table: 'turns' }) }, 'x')
    expect(last().err).toMatchObject({
      type: 'Error',
      message: 'query failed',
      table: 'turns',
      stack: expect.stringContaining('log.test'),
      cause: { type: 'TypeError', code: 'ECONNRESET', message: 'socket closed' },
    })
  })

  test('circular causes and objects, getters that throw and a broken toJSON do not break the log', () => {
    const { log, last, texts } = writtenLog()
    const one = new Error('one')
    one.cause = new Error('two', { cause: one })
    const ring: Record<string, unknown> = {}
    ring['self'] = ring
    const hostile = {
      get bad() {
        throw new Error('no')
      },
      broken: {
        toJSON() {
          throw new Error('no')
        },
      },
      big: 1n,
      bytes: new Uint8Array(9),
      when: new Date(Number.NaN),
    }
    log.error({ err: one, ring }, 'first')
    log.info({ hostile }, 'second')
    expect(texts.length).toBe(2)
    expect(last()).toMatchObject({
      msg: 'second',
      hostile: { bad: '[unreadable]', broken: '[unreadable]', big: '1', bytes: '[9 bytes]', when: null },
    })
  })

  test('depth, breadth and length of a logged value are bounded', () => {
    const { log, texts, last } = writtenLog()
    let deep: unknown = 'bottom'
    for (let level = 0; level < 5_000; level++) deep = { deep }
    const wide = Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => ({ a: 'x'.repeat(50) })))
    log.info({ deep, wide, text: 'y'.repeat(1_000_000) }, 'x')
    log.info('z'.repeat(1_000_000))
    expect(last()).toMatchObject({ level: 'info', msg: 'a log line was too long and was cut' })
    for (const text of texts) expect(text.length).toBeLessThan(70_000)
  })

  test('a change of level takes effect at once, in children too', () => {
    const { log, texts } = writtenLog('info')
    const child = log.child({ room: 'store' })
    child.debug('not yet')
    log.level = 'debug'
    child.debug('now')
    log.level = 'error'
    child.warn('no more')
    expect(texts.map((text) => JSON.parse(text).msg)).toEqual(['now'])
  })
})

describe('log tail', () => {
  test('it keeps the newest lines with level and cursor, as they were written', () => {
    const tail = new LogTail({ linesMax: 3, bytesMax: 10_000 })
    const { log, texts } = writtenLog('debug', tail)
    for (const count of [1, 2, 3, 4, 5]) log.warn({ password: 'hidden' }, `line ${count}`)
    const { lines, missed } = tail.since(0)
    expect(lines.map((line) => line.seq)).toEqual([3, 4, 5])
    expect(lines.map((line) => `${line.line}\n`)).toEqual(texts.slice(2))
    expect(lines[0]).toMatchObject({ level: 40 })
    expect(missed).toBe(2)
    expect(tail.since(3, 1).lines.map((line) => line.seq)).toEqual([4])
    expect(tail.since(5)).toEqual({ lines: [], missed: 0 })
  })

  test('its bytes are bounded, even with one line larger than the bound', () => {
    const tail = new LogTail({ linesMax: 100, bytesMax: 50 })
    for (let count = 0; count < 20; count++) tail.push(30, 'é'.repeat(10))
    expect([tail.lines, tail.bytes]).toEqual([2, 40])
    tail.push(30, 'x'.repeat(51))
    expect([tail.lines, tail.bytes]).toEqual([0, 0])
    tail.push(30, 'fits')
    expect(tail.since(0)).toMatchObject({ lines: [{ seq: 22, line: 'fits' }], missed: 21 })
  })

  test('a subscriber is called once until it reads again, so one that stops reading holds nothing', () => {
    const tail = new LogTail({ linesMax: 10, bytesMax: 10_000 })
    let wakes = 0
    const subscription = tail.subscribe(() => wakes++)
    tail.push(30, 'one')
    tail.push(30, 'two')
    expect(wakes).toBe(1)
    subscription.rearm(1)
    expect(wakes).toBe(2)
    subscription.rearm(2)
    expect(wakes).toBe(2)
    tail.push(30, 'three')
    expect(wakes).toBe(3)
    subscription.rearm(3)
    subscription.close()
    tail.push(30, 'four')
    expect(wakes).toBe(3)
  })
})
