/** What a model thought between two calls of a turn: asked for, given back in its place, and done without where it is refused. */
import { expect, test } from 'vitest'
import type { ChatMessage } from '../../../models/transport.ts'
import { completionOf, events, failure, json } from '../../support/model-endpoint.ts'
import { failureOf, nativeTo, requestFor, scriptedEndpoint, streaming, transportTo } from '../support/calls.ts'
import { callItem, completed, created, messageItem, responseOf, wholeResponse } from '../support/responses.ts'

const thought = (id: string, sealed: string | null = `sealed ${id}`) => ({
  ...{ type: 'reasoning', id, summary: [], status: 'completed' },
  ...(sealed !== null && { encrypted_content: sealed }),
})
const back = (id: string) => ({ type: 'reasoning', id, summary: [], encrypted_content: `sealed ${id}` })

const output = [thought('r1'), messageItem('First.'), callItem('a', 'f', '{}'), thought('r2'), callItem('b', 'g', '{}')]

const requestOf = (messages: readonly ChatMessage[] = [{ role: 'user', content: 'go' }], more: object = {}) => ({
  ...requestFor({ messages: [...messages], ...more }),
  keepsReasoning: true,
})

const ranBehind = (message: ChatMessage): ChatMessage[] => [
  { role: 'user', content: 'go' },
  message,
  { role: 'tool', tool_call_id: 'a', content: 'one' },
  { role: 'tool', tool_call_id: 'b', content: 'two' },
]

test('is asked for sealed, and comes back in its place among what it led to', async () => {
  const endpoint = await scriptedEndpoint()
  const model = nativeTo(endpoint, { style: 'responses' })
  endpoint.script(wholeResponse(...output), wholeResponse(messageItem('Done.')))
  const { choices } = await model.complete(requestOf())
  expect(endpoint.requests[0]?.body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] })
  await model.complete(requestOf(ranBehind(choices[0]?.message as ChatMessage)))
  const { input } = endpoint.requests[1]?.body ?? {}
  expect(input.slice(1, 6)).toEqual([
    back('r1'),
    { type: 'message', role: 'assistant', content: 'First.' },
    { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
    back('r2'),
    { type: 'function_call', call_id: 'b', name: 'g', arguments: '{}' },
  ])
})

test('is told of a stream with its end, and not at all where an item came without its seal', async () => {
  const endpoint = await scriptedEndpoint()
  const model = nativeTo(endpoint, { style: 'responses' })
  endpoint.script(events(created, completed(responseOf(output))))
  const call = streaming(model, requestOf())
  await call.done
  expect(call.deltas.at(-2)).toMatchObject({
    ...{ kind: 'raw', delta: { reasoning_items: [{ calls_before: 0 }, { calls_before: 1, item: back('r2') }] } },
  })
  endpoint.script(wholeResponse(thought('r1', null), ...output.slice(1)))
  const { choices } = await model.complete(requestOf())
  expect(choices[0]?.message).not.toHaveProperty('reasoning_items')
})

test('is neither asked for nor given back by a request that does not want it, and never in the other style', async () => {
  const endpoint = await scriptedEndpoint()
  const assistantMessage = { role: 'assistant', content: 'x', reasoning_items: [{ calls_before: 0, item: back('r1') }] }
  endpoint.script(wholeResponse(messageItem('ok')), json(completionOf('ok')))
  const { keepsReasoning: _, ...plain } = requestOf(ranBehind(assistantMessage))
  await nativeTo(endpoint, { style: 'responses' }).complete(plain)
  await transportTo(endpoint).complete(requestOf(ranBehind(assistantMessage)))
  const [responses, chat] = endpoint.requests.map(({ body }) => JSON.stringify(body))
  for (const body of [responses, chat]) expect(body).not.toMatch(/sealed|reasoning|include/)
  expect(chat).toContain('"messages":[{"role":"user"')
})

test('is done without where the model has none or the endpoint cannot open it, at once and from then on', async () => {
  const endpoint = await scriptedEndpoint()
  const model = nativeTo(endpoint, { style: 'responses' })
  const assistantMessage = { role: 'assistant', content: 'x', reasoning_items: [{ calls_before: 0, item: back('r1') }] }
  endpoint.script(
    failure(400, 'Encrypted content is not supported with this model.', { param: 'include' }),
    wholeResponse(messageItem('ok')),
    wholeResponse(messageItem('ok')),
  )
  await model.complete(requestOf(ranBehind(assistantMessage)))
  await model.complete(requestOf(ranBehind(assistantMessage)))
  const tellsOf = endpoint.requests.map(({ body }) => /sealed|include/.test(JSON.stringify(body)))
  expect(tellsOf).toEqual([true, false, false])
})

test('another refusal is none of it', async () => {
  const endpoint = await scriptedEndpoint()
  endpoint.script(failure(400, 'The image is too large.'))
  expect(await failureOf(nativeTo(endpoint, { style: 'responses' }).complete(requestOf()))).toMatchObject({
    code: 'bad_request',
  })
  expect(endpoint.requests).toHaveLength(1)
})
