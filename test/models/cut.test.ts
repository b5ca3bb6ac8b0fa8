/** A stream of each transport, on a socket, in two writes, cut at every byte: the deltas are always the same. */
import { expect, test } from 'vitest'
import type { ModelTransport } from '../../models/transport.ts'
import { eventOf, type ModelEndpoint, type ScriptedAnswer } from '../support/model-endpoint.ts'
import { nativeTo, scriptedEndpoint, streaming, subscriptionTo, toolCallsIn, transportTo } from './support/calls.ts'

const text = 'Привет, 🦆 "ß"\n'

const chat = [
  { choices: [{ index: 0, delta: { content: text } }] },
  { choices: [{ index: 0, delta: { content: '\\' } }] },
  {
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"x' } }] } }],
  },
  { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '":"я"}' } }] } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: { prompt_tokens: 3, completion_tokens: 4 } },
  '[DONE]',
]

const item = { type: 'function_call', id: 'i', call_id: 'a', name: 'f' }
const responses = [
  { type: 'response.output_text.delta', delta: text },
  { type: 'response.output_text.delta', delta: '\\' },
  { type: 'response.output_item.added', item },
  { type: 'response.function_call_arguments.delta', delta: '{"x' },
  { type: 'response.function_call_arguments.delta', delta: '":"я"}' },
  { type: 'response.completed', response: { usage: { input_tokens: 3, output_tokens: 4 } } },
]

test.each<[string, (endpoint: ModelEndpoint) => ModelTransport, (object | string)[]]>([
  ['the compatible one', (endpoint) => transportTo(endpoint), chat],
  ['native chat completions', (endpoint) => nativeTo(endpoint, { style: 'chat' }), chat],
  ['native responses', (endpoint) => nativeTo(endpoint, { style: 'responses' }), responses],
  ['the subscription', (endpoint) => subscriptionTo(endpoint), responses],
])('%s', async (_name, transportOf, sentEvents) => {
  const endpoint = await scriptedEndpoint()
  const transport = transportOf(endpoint)
  const stream = Buffer.from(sentEvents.map(eventOf).join(''))
  let cut = 0
  endpoint.always((call) => inTwo(stream, ++cut)(call))
  while (cut < stream.length - 1) {
    await Promise.all(Array.from({ length: Math.min(16, stream.length - 1 - cut) }, () => oneCall(transport)))
  }
  await transport.close()
})

/** Two chunks of the body, and so two reads of it, even where the socket brings them in one. */
function inTwo(stream: Buffer, at: number): ScriptedAnswer {
  return (call) => {
    call.openStream()
    call.write(stream.subarray(0, at))
    call.write(stream.subarray(at))
    call.end()
  }
}

async function oneCall(transport: ModelTransport): Promise<void> {
  const call = streaming(transport)
  const { usage } = await call.done
  expect([call.text(), toolCallsIn(call.deltas), usage.total_tokens, call.deltas.at(-1)?.kind]).toEqual([
    `${text}\\`,
    [{ id: 'a', name: 'f', arguments: '{"x":"я"}' }],
    7,
    'finish',
  ])
}
