/** Models without tools: learned from their own refusal, and from nothing else. */
import { describe, expect, test } from 'vitest'
import { demonstrationTransport } from '../../../models/demonstration.ts'
import { RefusalsByModel } from '../../../models/http/tool-support.ts'
import { completionOf, failure, json, streamOf } from '../../support/model-endpoint.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { virtualClock } from '../../support/virtual-clock.ts'
import {
  failureOf,
  nativeTo,
  requestFor,
  scriptedEndpoint,
  streaming,
  transportTo,
  wordCounter,
} from '../support/calls.ts'
import { messageItem, wholeResponse } from '../support/responses.ts'

const good = json(completionOf('good'))
const parameters = { tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: 'auto', user: 'u' }
const withTools = requestFor({ parameters })

describe('a refusal of tools', () => {
  test.each([
    [400, 'example/gemma:latest does not support tools'],
    [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
    [400, "Unsupported parameter: 'tools' is not supported with this model."],
    [400, 'Unrecognized request argument supplied: tools'],
    [400, "Unknown parameter: 'tools'."],
    [400, 'Function calling is not enabled for this model'],
    [404, 'No endpoints found that support tool use.'],
    [422, '[{"type":"extra_forbidden","loc":["body","tools"],"msg":"Extra inputs are not permitted"}]'],
    [500, 'tools param requires --jinja flag'],
    [501, 'tool calls are not implemented'],
  ])('%i "%s": the call is made again without them, and later calls are made so at once', async (status, words) => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(failure(status, words), streamOf(['a']), good)
    const transport = transportTo(endpoint)
    expect(transport.supportsTools?.('asked-for')).toBe(true)
    const call = streaming(transport, { parameters })
    await call.done
    expect(call.text()).toBe('a')
    await transport.complete(withTools)
    expect(endpoint.requests.map(({ body }) => 'tools' in body)).toEqual([true, false, false])
    expect(endpoint.requests[1]?.body).not.toHaveProperty('tool_choice')
    expect(endpoint.requests[1]?.body.user).toBe('u')
    expect([transport.supportsTools?.('asked-for'), transport.supportsTools?.('other')]).toEqual([false, true])
  })

  test.each([
    [400, "Invalid schema for function 'f': unknown parameter type", 'tools[0].function.parameters'],
    [400, 'tools[0].function.strict is not supported', null],
    [400, "Unknown parameter: 'tools[0].kind'.", null],
    [400, 'tool_choice is not supported', 'tool_choice'],
    [422, '[{"loc":["body","tools",0,"function"],"msg":"Extra inputs are not permitted"}]', null],
    [400, 'unsupported image', null],
    [429, 'does not support tools', null],
  ])('%i "%s" is no refusal of tools: the client gets it', async (status, words, param) => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(failure(status, words, param === null ? {} : { param }))
    const transport = transportTo(endpoint)
    await failureOf(transport.complete(withTools))
    expect(endpoint.requests).toHaveLength(1)
    expect(transport.supportsTools?.('asked-for')).toBe(true)
  })

  test('is not believed where the call fails without tools too', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.always(failure(400, 'tools are not supported'))
    const transport = transportTo(endpoint)
    expect(await failureOf(transport.complete(withTools))).toMatchObject({ code: 'bad_request' })
    expect(endpoint.requests).toHaveLength(2)
    expect(transport.supportsTools?.('asked-for')).toBe(true)
  })

  test('to a call without tools is no refusal of them', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.always(failure(400, 'tools are not supported'))
    await failureOf(transportTo(endpoint).complete(requestFor()))
    expect(endpoint.requests).toHaveLength(1)
  })

  test('is forgotten after an hour, and logged once', async () => {
    const endpoint = await scriptedEndpoint()
    const clock = virtualClock()
    const { log, lines } = recordingLog()
    endpoint.script(failure(400, 'tools are not supported'), good, good, good)
    const transport = transportTo(endpoint, { clock, log })
    await transport.complete(withTools)
    await transport.complete(withTools)
    await clock.advance(3_600_000)
    await transport.complete(withTools)
    expect(endpoint.requests.map(({ body }) => 'tools' in body)).toEqual([true, false, false, true])
    expect(lines.map(({ model }) => model)).toEqual(['asked-for'])
  })

  test('of stream_options, of tools and of a style in one call are each answered', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(
      failure(404),
      failure(400, 'unknown argument stream_options'),
      failure(400, 'tools are not supported'),
      streamOf(['a']),
    )
    const call = streaming(nativeTo(endpoint), { parameters })
    await call.done
    expect(call.text()).toBe('a')
    expect(endpoint.requests.map(({ path }) => path.split('/').at(-1))).toEqual([
      'responses',
      ...Array(3).fill('completions'),
    ])
  })

  test('is heard in the responses style as well', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(failure(400, 'tools are not supported'), wholeResponse(messageItem('a')))
    await nativeTo(endpoint, { style: 'responses' }).complete(withTools)
    expect(endpoint.requests.map(({ body }) => 'tools' in body)).toEqual([true, false])
  })
})

test('of models beyond the bound the oldest is forgotten', () => {
  const refusals = new RefusalsByModel(virtualClock())
  for (let model = 0; model < 257; model++) refusals.remember(`m${model}`)
  expect([refusals.has('m0'), refusals.has('m1'), refusals.has('m256')]).toEqual([false, true, true])
})

test('the demonstration model takes no tools', () => {
  const transport = demonstrationTransport(virtualClock(), wordCounter)
  expect([transport.capabilities?.tools, transport.supportsTools?.('demo')]).toEqual([false, false])
})
