/** The small parts that read what a server sends: lines, events, flow, results and what must not be in them. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventMeter, wholeMeter } from '../../../tools/mcp/bounded-body.ts'
import { flowLimit } from '../../../tools/mcp/flow-limit.ts'
import { lineSplitter } from '../../../tools/mcp/line-splitter.ts'
import { checkShape } from '../../../tools/mcp/message-shape.ts'
import { CallResult, resultText, truncated } from '../../../tools/mcp/result.ts'
import { redactionFor } from '../../../tools/mcp/secrets.ts'
import { parseServerDescriptions } from '../../../tools/mcp/server-description.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

function piecesOf(bytes: Buffer, cuts: number[]): Buffer[] {
  const places = [0, ...cuts.map((place) => place % (bytes.length + 1)), bytes.length].sort((one, other) => one - other)
  return places.slice(1).map((place, at) => bytes.subarray(places[at], place))
}

const cuts = fc.array(fc.nat(), { maxLength: 20 })

describe('lines', () => {
  test('are the same however they were cut, inside a character too', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), cuts, (texts, places) => {
        const lines = texts.map((text) => text.replaceAll('\n', ''))
        const splitter = lineSplitter(10_000)
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
        expect(piecesOf(bytes, places).flatMap((piece) => splitter.push(piece))).toEqual(lines)
      }),
    )
  })

  test('longer than allowed are refused, also when their end has not come', () => {
    expect(() => lineSplitter(10).push(Buffer.from('12345678901'))).toThrow(/more than 10 bytes/)
    expect(lineSplitter(10).push(Buffer.from('1234567890\n1234567890\n'))).toHaveLength(2)
  })
})

describe('events', () => {
  const generous = () => flowLimit({ windowMs: 1_000, bytesMax: 1e9, messagesMax: 1e9 }, virtualClock())

  test('are counted by their empty lines, whichever line end is used and wherever they are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(30), { minLength: 1 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        cuts,
        (sizes, end, places) => {
          let events = 0
          const count = (_bytes: number, messages: number) => {
            events += messages
          }
          const meter = eventMeter(1_000, { take: count })
          const text = sizes.map((size) => `data: ${'x'.repeat(size)}${end}${end}`).join('')
          for (const piece of piecesOf(Buffer.from(text), places)) meter(piece)
          expect(events).toBe(sizes.length)
        },
      ),
    )
  })

  test('may go on for ever in small ones, and not in one', () => {
    const meter = eventMeter(100, generous())
    for (let time = 0; time < 1_000; time++) meter(Buffer.from('data: small\r\n\r\n'))
    expect(() => meter(Buffer.from('data: x\n'.repeat(20)))).toThrow(/more than 100 bytes/)
    // Also one that is over before the piece is.
    const other = eventMeter(100, generous())
    expect(() => other(Buffer.from(`data: ${'x'.repeat(100)}\n\n`))).toThrow(/more than 100 bytes/)
  })

  test('have each as many fields as a message may have, and no more', () => {
    const event = (fields: number) => Buffer.from(`data: {${'"a":{"b":1},'.repeat(fields / 2)}"c":1}\n\n`)
    const meter = eventMeter(10_000_000, generous())
    for (let time = 0; time < 10; time++) meter(event(30_000))
    expect(() => meter(event(120_000))).toThrow(/an object of more than 20000 fields/)
    expect(() => checkShape(event(120_000).toString())).toThrow(/an object of more than 20000 fields/)
  })

  test('and whole answers are bounded alike', () => {
    const meter = wholeMeter(100, generous())
    meter(Buffer.alloc(100))
    expect(() => meter(Buffer.alloc(1))).toThrow(/more than 100 bytes/)
  })
})

test('a flow is held within its window, and begins anew in the next', async () => {
  const clock = virtualClock()
  const flow = flowLimit({ windowMs: 1_000, bytesMax: 10, messagesMax: 3 }, clock)
  flow.take(10, 3)
  await clock.advance(1_000)
  flow.take(10, 3)
  expect(() => flow.take(0, 1)).toThrow(/in 1 s/)
  await clock.advance(1_000)
  expect(() => flow.take(11, 0)).toThrow(/in 1 s/)
})

describe('a result', () => {
  const told = (given: unknown) => resultText(CallResult.parse(given))

  test('shows text and structured content, and names the rest', () => {
    const content = [
      { type: 'text', text: 'one' },
      { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
      { type: 'resource', resource: { uri: 'file:///a', blob: 'AAAA' } },
      { type: 'hologram', size: 1 },
    ]
    expect(told({ content, structuredContent: { two: 2 } }).split('\n')).toEqual([
      'one',
      '[audio: audio/wav, 3 bytes, not shown]',
      '[resource: file:///a, 3 bytes, not shown]',
      '[hologram: not shown]',
      '{"two":2}',
    ])
  })

  test('says so when there is nothing, and when it is cut', () => {
    expect(told({ content: [] })).toBe('(the tool returned nothing)')
    expect(truncated('x'.repeat(11), 10)).toBe(`${'x'.repeat(10)}\n[cut: 10 of 11 characters]`)
    expect(truncated('12345678😀', 9).isWellFormed()).toBe(true)
  })

  test('of a thousand parts and more is told without the rest, and the rest is not looked at', () => {
    const part = { type: 'text', text: 'x' }
    const lines = told({ content: [...Array.from({ length: 1_000 }, () => part), 'no part', part] }).split('\n')
    expect(lines).toHaveLength(1_001)
    expect(lines.at(-1)).toBe('[2 more parts: not shown]')
  })
})

describe('secrets', () => {
  const redactionOf = (entry: unknown) => {
    const [server] = parseServerDescriptions({ server: entry }, 1).servers
    if (!server) throw new Error('the entry is refused')
    return redactionFor(server)
  }

  test.each([
    ['a header’s value', { url: 'http://127.0.0.1', headers: { 'x-any': 'secret-1' } }],
    ['a header’s last word', { url: 'http://127.0.0.1', headers: { authorization: 'Bearer secret-1' } }],
    ['a password in an address', { url: 'http://ada:secret-1@127.0.0.1' }],
    ['a key in a query', { url: 'http://127.0.0.1?api_key=secret-1' }],
    ['a variable with a secret’s name', { command: 'x', env: { GITHUB_PAT: 'secret-1' } }],
    ['a password in a variable’s address', { command: 'x', env: { TARGET: 'postgres://ada:secret-1@127.0.0.1/db' } }],
    ['an option with a secret’s name', { command: 'x', args: ['--api-key=secret-1'] }],
    ['what follows such an option', { command: 'x', args: ['--token', 'secret-1'] }],
  ])('in %s come back neither in results nor in records', (_, entry) => {
    const { result, record } = redactionOf(entry)
    expect(result('it was secret-1!')).toBe('it was [redacted]!')
    expect(record('it was secret-1!')).toBe('it was [redacted]!')
  })

  test('are not folders: those stay in results, and only leave records', () => {
    const { result, record } = redactionOf({ command: 'x', args: ['/srv/files'] })
    expect(result('in /srv/files')).toBe('in /srv/files')
    expect(record('in /srv/files')).toBe('in [redacted]')
  })
})
