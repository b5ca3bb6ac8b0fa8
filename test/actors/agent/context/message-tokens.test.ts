import { afterAll, expect, test } from 'vitest'
import type { ChatMessage } from '../../../../models/transport.ts'
import { calling, countingTokens, result, user, words } from './support.ts'

const { tokens, counted, close } = countingTokens()
afterAll(close)

const one = async (message: ChatMessage) => (await tokens.count([message]))[0] ?? 0

test('a message is counted once, however often its count is needed', async () => {
  const messages = [user('once upon a time'), user('twice upon a time')]
  const before = counted.length
  const counts = await tokens.count([...messages, ...messages])
  expect(await tokens.count(messages)).toEqual(counts.slice(0, 2))
  expect(counts.slice(2)).toEqual(counts.slice(0, 2))
  expect(counted.length - before).toBe(2)
})

test('the count is the tokenizer’s, and the bound without counting is never below it', async () => {
  expect(await one(user(words(100)))).toBeGreaterThanOrEqual(100)
  expect(await one(user(words(100)))).toBeLessThan(110)
  const samples = [
    words(50),
    'Привет, как дела?',
    '漢字かな交じり文',
    '😀👨‍👩‍👧',
    'a\0b\n\n\t',
    '<|endoftext|>',
    '',
  ].map((text) => user(text))
  for (const message of [...samples, calling('a', 'b'), result('a')])
    expect(tokens.upperBound(message)).toBeGreaterThanOrEqual(await one(message))
})

test('tool calls count as much as text does', async () => {
  const long = calling('a')
  const bare = await one(calling('a'))
  expect(
    await one({ ...long, tool_calls: [{ id: 'a', function: { name: 'look', arguments: words(500) } }] }),
  ).toBeGreaterThan(bare + 400)
})

test('an image, a recording and a file count by the rule, not by the length of their data', async () => {
  const data = 'A'.repeat(4 * 1_024 * 100) // 300 KB
  const empty = await one(user([]))
  const part = async (given: { type: string; [field: string]: unknown }) => (await one(user([given]))) - empty
  const before = counted.length
  expect(await part({ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } })).toBe(1_600)
  expect(await part({ type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } })).toBe(85)
  expect(await part({ type: 'input_audio', input_audio: { data, format: 'wav' } })).toBe(600)
  expect(await part({ type: 'file', file: { file_data: data } })).toBe(18_000)
  expect(Math.max(...counted.slice(before).map((text) => text.length))).toBeLessThan(100)
})

test('a part of an unknown kind counts as its text', async () => {
  const odd = user([{ type: 'novelty', body: words(300) }])
  expect(await one(odd)).toBeGreaterThan(300)
})
