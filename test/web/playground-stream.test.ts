/** The playground's reading of a streamed answer, its request and its curl, without a browser. */
import { describe, expect, it } from 'vitest'
import { blocksOf } from '../../web/pages/playground/blocks.ts'
import { curlOf, newAnswer, requestOf, wrongFields } from '../../web/pages/playground/conversation.ts'
import { type ChatEvent, ConnectionLost, chatEvents } from '../../web/pages/playground/sse.ts'

const id = `chatcmpl-${'0a'.repeat(16)}`
const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

async function read(pieces: Uint8Array[]): Promise<ChatEvent[]> {
  const events: ChatEvent[] = []
  for await (const event of chatEvents(ReadableStream.from(pieces) as ReadableStream<Uint8Array>)) events.push(event)
  return events
}

describe('a streamed answer', () => {
  const text = `: planning\n\n${chunk({ role: 'assistant', content: '' })}${chunk({ content: 'Привет, 👋' })}${chunk({}, 'stop')}data: [DONE]\n\n`

  it('is read the same wherever its bytes are split, with either kind of line end', async () => {
    for (const form of [text, text.replaceAll('\n', '\r\n')]) {
      const bytes = new TextEncoder().encode(form)
      const whole = await read([bytes])
      expect(await read(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)))).toEqual(whole)
      expect(whole.filter(({ is }) => is !== 'begun')).toEqual([
        { is: 'doing', text: 'planning' },
        { is: 'text', text: 'Привет, 👋' },
        { is: 'finish', reason: 'stop' },
        { is: 'done' },
      ])
      expect(whole).toContainEqual({ is: 'begun', turnId: `turn_${'0a'.repeat(16)}`, model: '' })
    }
  })

  it('that was cut off has no end event, and a failure inside it is reported', async () => {
    const encoder = new TextEncoder()
    const cut = await read([encoder.encode(chunk({ content: 'Half' })), encoder.encode('data: {"choi')])
    expect(cut.at(-1)).toEqual({ is: 'text', text: 'Half' })
    const failed = await read([encoder.encode('data: {"error":{"code":"stream_cut","message":"gone"}}\n\n')])
    expect(failed).toEqual([{ is: 'failed', code: 'stream_cut', message: 'gone' }])
  })

  it('that lost its connection fails differently from one that cannot be parsed', async () => {
    const broken = new ReadableStream<Uint8Array>({ pull: (stream) => stream.error(new TypeError('network error')) })
    await expect(chatEvents(broken).next()).rejects.toThrow(ConnectionLost)
    const unreadable = read([new TextEncoder().encode('data: {oops\n\n')])
    await expect(unreadable).rejects.toThrow(SyntaxError)
  })

  it('with an endless event is rejected', async () => {
    const piece = new TextEncoder().encode('x'.repeat(1_048_576))
    await expect(read(Array.from({ length: 5 }, () => piece))).rejects.toThrow('too long')
  })
})

describe('a request', () => {
  const setup = { model: 'm', system: '', temperature: '0,5', maxTokens: '' }

  it('contains the messages, without empty answers, and the chosen options', () => {
    const silent = { ...newAnswer('m'), state: 'failed' as const }
    const request = requestOf(setup, [{ by: 'user', id: '1', text: 'a' }, silent, { by: 'user', id: '2', text: 'b' }])
    expect(request).toEqual({
      model: 'm',
      messages: [
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
      ],
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.5,
    })
    expect(wrongFields({ ...setup, temperature: '2.1', maxTokens: '1.5' })).toEqual(['temperature', 'maxTokens'])
  })

  it('is one argument for a shell, whatever the text', () => {
    const body = { text: `it's "$(rm -rf x)" \`y\`` }
    const [, quoted = ''] = /-d ('[\s\S]*)$/.exec(curlOf('http://127.0.0.1:1', body)) ?? []
    expect(quoted.replaceAll(`'\\''`, '')).toMatch(/^'[^']*'$/)
  })
})

it('the blocks of a growing text never change behind the last, and lose nothing', () => {
  const text = Array.from({ length: 500 }, (_, at) => `line ${at} of the text\n`).join('')
  const early = blocksOf(text.slice(0, 6_000))
  expect(blocksOf(text).slice(0, early.length - 1)).toEqual(early.slice(0, -1))
  expect(blocksOf(text).join('')).toBe(text)
})
