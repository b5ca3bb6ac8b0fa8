/** What was done before calls were handed to the client: found again at its place, also where ids repeat, in one pass. */
import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { AgentDefinition } from '../../../../actors/agent/directory/definition.ts'
import { type ClientToolCalls, clientToolCallCache } from '../../../../actors/agent/tools/client-tool-calls.ts'
import type { ChatMessage } from '../../../../models/transport.ts'
import { firstWorkspaceId, newConversationId } from '../../../../store/id.ts'
import { threadMs } from '../../../support/processor-ms.ts'

const agent = { name: 'clerk', definition: AgentDefinition.parse({}) }
const alone = { workspaceId: firstWorkspaceId, conversationId: null, agent }

const user = (content: string): ChatMessage => ({ role: 'user', content })
const result = (content: string, id = 'call_0'): ChatMessage => ({ role: 'tool', tool_call_id: id, content })
const calls = (id = 'call_0'): ChatMessage => ({ role: 'assistant', content: null, tool_calls: [{ id }] })
const before = (content: string): ClientToolCalls => ({
  before: [{ role: 'assistant', content }],
  message: calls(),
  results: [],
})
const nothing: ClientToolCalls = { before: [], message: calls(), results: [] }

const requested = [user('Open both'), calls(), result('opened the first'), calls(), result('opened the second')]
const inConversation = () => ({ ...alone, conversationId: newConversationId() })
const contents = (messages: readonly ChatMessage[]) => messages.map(({ content }) => content)

test.each([
  ['in a conversation', inConversation],
  ['without one', () => alone],
])('rounds with the same ids are told each its own (%s)', (_, asking) => {
  const cache = clientToolCallCache()
  const where = asking()
  cache.store(where, requested.slice(0, 1), { calls: calls(), done: before('of the first') })
  cache.store(where, requested.slice(0, 3), { calls: calls(), done: before('of the second') })
  expect(contents(cache.restore(where, requested, requested))).toEqual([
    ...['Open both', 'of the first', null, 'opened the first', 'of the second', null, 'opened the second'],
  ])
})

test('where the oldest calls are not told, those that are keep their own', () => {
  const cache = clientToolCallCache()
  cache.store(alone, requested.slice(0, 1), { calls: calls(), done: before('of the first') })
  cache.store(alone, requested.slice(0, 3), { calls: calls(), done: before('of the second') })
  const shortened = [user('Open both'), calls(), result('opened […] second')]
  expect(contents(cache.restore(alone, requested, shortened))).toEqual([
    ...['Open both', 'of the second', null, 'opened […] second'],
  ])
})

test('a round before which nothing was done is not told what an older turn of the conversation did', () => {
  const cache = clientToolCallCache()
  const where = inConversation()
  const first = [user('One'), calls(), result('1')]
  const second = [...first, { role: 'assistant', content: 'Done.' }, user('Two'), calls(), result('2')]
  cache.store(where, first.slice(0, 1), { calls: calls(), done: before('of the first') })
  cache.store(where, second.slice(0, 5), { calls: calls(), done: nothing })
  expect(cache.restore(where, second, second)).toEqual(second)
})

test('a long request with many rounds is gone through once, not once for each of them', () => {
  const cache = clientToolCallCache()
  const text = 'x'.repeat(20_000)
  const messages = [
    user('Go'),
    ...Array.from({ length: 300 }, (_, at) => [calls(`c${at}`), result(text, `c${at}`)]).flat(),
  ]
  cache.store(alone, messages.slice(0, -2), { calls: calls('c299'), done: before('of the last') })
  const once = leastMs(() => hash('sha256', JSON.stringify(messages), 'hex'))
  const all = leastMs(() => {
    expect(cache.restore(alone, messages, messages)).toHaveLength(messages.length + 1)
  })
  expect(all / once).toBeLessThan(8)
})

/** Of several: the first ones are compiled meanwhile. */
function leastMs(work: () => void): number {
  return Math.min(...Array.from({ length: 4 }, () => threadMs(work)))
}
