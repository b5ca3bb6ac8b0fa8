/** Finding out the style of the native API: no turn is lost by it, none told twice. */
import { describe, expect, test } from 'vitest'
import {
  chunkOf,
  completionOf,
  cutAfter,
  events,
  failure,
  json,
  onSocket,
  streamOf,
} from '../support/model-endpoint.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { failureOf, nativeTo, requestFor, scriptedEndpoint, streaming } from './support/calls.ts'
import { created, messageItem, spokenResponse, textDelta, wholeResponse } from './support/responses.ts'

const [chat, responses] = ['/v1/chat/completions', '/v1/responses']
const good = json(completionOf('good'))
const hourMs = 3_600_000

async function found() {
  const endpoint = await scriptedEndpoint()
  return { endpoint, paths: () => endpoint.requests.map(({ path }) => path) }
}

describe('an endpoint whose style is not set', () => {
  test('is asked for responses, and nothing else where it knows them', async () => {
    const { endpoint, paths } = await found()
    endpoint.script(wholeResponse(messageItem('a')), failure(404, 'no such model'))
    const transport = nativeTo(endpoint)
    await transport.complete(requestFor())
    expect(await failureOf(transport.complete(requestFor()))).toMatchObject({ code: 'model_unknown' })
    expect(paths()).toEqual([responses, responses])
  })

  test.each([
    ['404', failure(404, 'Not Found')],
    ['404 without words', onSocket('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n')],
    ['405', failure(405)],
    ['501', failure(501)],
  ])(
    'that refuses them with %s is asked for chat completions in the same call, and from then on',
    async (_what, refusal) => {
      const { endpoint, paths } = await found()
      endpoint.script(refusal, streamOf(['once']), good)
      const transport = nativeTo(endpoint)
      const call = streaming(transport)
      await call.done
      await transport.complete(requestFor())
      expect(call.deltas.map(({ kind }) => kind)).toEqual(['model', 'text', 'finish'])
      expect(paths()).toEqual([responses, chat, chat])
    },
  )

  test('is asked again for responses after an hour: they may have been away for a moment', async () => {
    const { endpoint, paths } = await found()
    const clock = virtualClock()
    endpoint.script(failure(404), good, good, wholeResponse(messageItem('back')), wholeResponse(messageItem('back')))
    const transport = nativeTo(endpoint, { clock })
    await transport.complete(requestFor())
    await clock.advance(hourMs - 1)
    await transport.complete(requestFor())
    await clock.advance(1)
    await transport.complete(requestFor())
    await transport.complete(requestFor())
    expect(paths()).toEqual([responses, chat, chat, responses, responses])
  })

  test('that refuses both has decided nothing; the words about the model are what the client hears', async () => {
    const { endpoint, paths } = await found()
    endpoint.script(failure(404, 'no such path'), failure(404, 'no such model'), wholeResponse(messageItem('a')))
    const transport = nativeTo(endpoint)
    expect(await failureOf(transport.complete(requestFor()))).toMatchObject({ message: 'no such model' })
    await transport.complete(requestFor())
    expect(paths()).toEqual([responses, chat, responses])
  })

  test.each([400, 401, 403, 429, 500])(
    'that refuses with %i has been understood: nothing else is tried',
    async (status) => {
      const { endpoint, paths } = await found()
      endpoint.script(failure(status))
      await failureOf(nativeTo(endpoint).complete(requestFor()))
      expect(paths()).toEqual([responses])
    },
  )

  test('that breaks off after a word is not asked in another way', async () => {
    const { endpoint, paths } = await found()
    endpoint.script(cutAfter(created, textDelta('half')), streamOf(['never']))
    const call = streaming(nativeTo(endpoint))
    expect(await failureOf(call.done)).toMatchObject({ code: 'stream_cut' })
    expect([call.text(), paths()]).toEqual(['half', [responses]])
  })

  test.each([
    ['of the path', { code: 404, message: 'no such path' }, 'model_unknown'],
    ['of tools', { code: 400, message: 'tools are not supported' }, 'bad_request'],
  ])(
    'that refuses after a word, in the words of a refusal %s, is not asked again either',
    async (_what, error, code) => {
      const { endpoint, paths } = await found()
      endpoint.script(events(created, textDelta('half'), { type: 'error', error }), streamOf(['never']))
      const call = streaming(nativeTo(endpoint), {
        parameters: { tools: [{ type: 'function', function: { name: 'f' } }] },
      })
      expect(await failureOf(call.done)).toMatchObject({ code })
      expect([call.text(), paths()]).toEqual(['half', [responses]])
    },
  )

  test('gets what responses cannot say as chat completions', async () => {
    const { endpoint, paths } = await found()
    endpoint.script(good, wholeResponse(messageItem('a')))
    const transport = nativeTo(endpoint)
    await transport.complete(requestFor({ parameters: { stop: ['x'] } }))
    await transport.complete(requestFor())
    expect(paths()).toEqual([chat, responses])
    expect(endpoint.requests[0]?.body.stop).toEqual(['x'])
  })

  test('is given one budget for both ways', async () => {
    const { endpoint } = await found()
    const clock = virtualClock()
    endpoint.script(failure(404), () => {})
    const failed = failureOf(nativeTo(endpoint, { clock, timeoutMs: 10_000 }).complete(requestFor()))
    await endpoint.until(() => endpoint.requests.length === 2)
    await clock.advance(10_000)
    expect(await failed).toMatchObject({ name: 'ErrCallTimeout' })
  })
})

describe('a style that is set', () => {
  test.each([
    ['chat', '/v1', chat],
    ['responses', '/v1', responses],
    ['', '/v1/chat/completions', chat],
    ['', '/v1/responses/', responses],
    ['responses', '/api/v3/chat/completions?api-version=1', '/api/v3/responses?api-version=1'],
  ] as const)('as "%s" with the base URL %s is the only one tried', async (style, ending, path) => {
    const { endpoint, paths } = await found()
    endpoint.always(failure(404))
    const baseUrl = `http://127.0.0.1:${endpoint.port}${ending}`
    await failureOf(nativeTo(endpoint, { style, baseUrl }).complete(requestFor()))
    expect(paths()).toEqual([path])
  })
})

test('its failures name its own settings, and never the key', async () => {
  const { endpoint } = await found()
  endpoint.script(failure(401, 'bad sk-secret-key'), onSocket('HTTP/1.1 405 No\r\ncontent-length: 0\r\n\r\n'))
  const transport = nativeTo(endpoint, { style: 'responses', apiKey: 'sk-secret-key' })
  const refused = await failureOf(transport.complete(requestFor()))
  expect(refused.message).toContain('SERVICE_NATIVE_API_KEY')
  expect(refused.message).not.toContain('sk-secret')
  expect((await failureOf(transport.complete(requestFor()))).message).toBe(
    'nothing answers responses there (405); see SERVICE_NATIVE_BASE_URL',
  )
})

test('a key in an event that fails never comes back', async () => {
  const { endpoint } = await found()
  endpoint.script(events({ type: 'error', message: 'bad sk-secret-key', code: 'sk-secret-key' }))
  const error = await failureOf(streaming(nativeTo(endpoint, { style: 'responses', apiKey: 'sk-secret-key' })).done)
  expect(JSON.stringify([error.message, error.upstreamName])).not.toContain('sk-secret')
})

test('the model of the turn wins over the configured one, and that over the request’s', async () => {
  const { endpoint } = await found()
  endpoint.always((call) =>
    (call.request.path === chat
      ? events(chunkOf({ content: 'a' }, { finish: 'stop' }), '[DONE]')
      : spokenResponse('a'))(call),
  )
  for (const style of ['chat', 'responses'] as const) {
    await streaming(nativeTo(endpoint, { style, model: 'configured' }), { routedModel: 'routed' }).done
    await streaming(nativeTo(endpoint, { style, model: 'configured' }), { routedModel: '' }).done
    await streaming(nativeTo(endpoint, { style })).done
  }
  const models = ['routed', 'configured', 'asked-for']
  expect(endpoint.requests.map(({ body }) => body.model)).toEqual([...models, ...models])
})
