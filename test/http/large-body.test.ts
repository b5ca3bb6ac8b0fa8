/** Bodies that are parsed on a thread: the same answers as for small ones, and nothing of them before they are whole. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { open } from '../../http/access.ts'
import { JsonLines } from '../../http/edge/json-lines.ts'
import { route } from '../../http/route.ts'
import { jsonBounds } from '../../runtime/json-shape.ts'
import { type TestGateway, testGateway } from './support/server.ts'

const face = { tag: 'test', summary: 'test', access: open, answers: {}, bodyBytesMax: 8_000_000 } as const
const routes = [
  route({
    ...face,
    method: 'POST',
    path: '/length',
    body: z.object({ text: z.string() }),
    handle: (call) => ({ length: call.body.text.length }),
  }),
  route({
    ...face,
    method: 'POST',
    path: '/lines',
    takesLines: true,
    body: z.unknown(),
    handle: ({ body }) => ({
      lines: body instanceof JsonLines ? body.items.map((item) => (item instanceof Error ? item.message : 'ok')) : [],
    }),
  }),
]

let test: TestGateway
beforeAll(async () => {
  test = await testGateway(routes)
})
afterAll(() => test.stop())

async function post(path: string, body: string | Buffer, type = 'application/json') {
  const answer = await fetch(`${test.url}${path}`, { method: 'POST', body, headers: { 'content-type': type } })
  return { status: answer.status, ...((await answer.json()) as { error?: { message: string }; lines?: string[] }) }
}

const filler = 'x'.repeat(300_000)

describe('a large body', () => {
  it('is handled as a small one', async () => {
    const text = `é"\\\n${filler}😀`
    expect(await post('/length', JSON.stringify({ text }))).toMatchObject({ status: 200, length: text.length })
  })

  it.each([
    ['a field of the wrong type', JSON.stringify({ text: 1, filler }), 'text: '],
    ['a syntax error', `{"text":"${filler}",}`, 'not valid JSON: syntax error at position 300011.'],
    ['an end in the middle', `{"text":"${filler}"`, 'not valid JSON: '],
    ['no UTF-8', Buffer.concat([Buffer.from(`{"text":"${filler}`), Buffer.of(0xff, 0x22, 0x7d)]), 'not valid UTF-8'],
    ['too many levels', `{"text":"${filler}","x":${'['.repeat(64)}`, 'nests deeper than 64 levels'],
    ['too many values', JSON.stringify({ x: Array(jsonBounds.valuesMax).fill(1) }), 'has more than 100000 values'],
    [
      'an object of too many fields',
      JSON.stringify({
        filler,
        x: Object.fromEntries(
          Array(jsonBounds.fieldsOfObjectMax + 1)
            .fill(1)
            .entries(),
        ),
      }),
      'has an object of more than 1000 fields',
    ],
  ])('with %s is refused in words, without its text', async (_, body, words) => {
    const refused = await post('/length', body)
    expect(refused.status).toBe(400)
    expect(refused.error?.message).toContain(words)
    expect(refused.error?.message.length).toBeLessThan(200)
  })

  it('that nobody waits for any more is not handled', async () => {
    const abort = new AbortController()
    const body = JSON.stringify({ text: filler })
    const asked = fetch(`${test.url}/length`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
      signal: abort.signal,
    })
    abort.abort()
    await expect(asked).rejects.toThrow()
    expect((await post('/length', body)).status).toBe(200)
  })
})

describe('lines', () => {
  const lines = (text: string) => post('/lines', text, 'application/x-ndjson')

  it('large and small, broken and whole, each have a result', async () => {
    const big = JSON.stringify({ filler })
    expect((await lines(`{}\n${big}\n{"x":\n\n[${filler}\n[]`)).lines).toEqual([
      'ok',
      'ok',
      'The body is not valid JSON: unexpected end.',
      expect.stringContaining('The body is not valid JSON: syntax error'),
      'ok',
    ])
  })

  it('that are blank cost nothing, and do not count', async () => {
    expect(await lines(`${'\n'.repeat(3_000_000)}{}${' \r\n\t'.repeat(300_000)}`)).toMatchObject({ lines: ['ok'] })
    expect(await lines('\n'.repeat(3_000_000))).toMatchObject({ status: 400 })
    expect(await lines('\n \n')).toMatchObject({ status: 400 })
  })

  it.each([
    ['few', '{}\n'],
    ['large', `{"x":"${'x'.repeat(200)}"}\n`],
  ])('past 2,000 are refused as a whole: %s bytes', async (_, line) => {
    expect((await lines(line.repeat(2_000))).lines).toHaveLength(2_000)
    expect(await lines(line.repeat(2_001))).toMatchObject({ status: 413, error: { code: 'too_many_items' } })
  })

  it('share the bounds of values and fields', async () => {
    const line = `${JSON.stringify(Object.fromEntries(Array(900).fill(1).entries()))}\n`
    const results = (await lines(line.repeat(60))).lines ?? []
    expect(results.filter((result) => result === 'ok')).toHaveLength(44)
    expect(results.at(-1)).toBe('The body has more than 40000 fields.')
  })
})
