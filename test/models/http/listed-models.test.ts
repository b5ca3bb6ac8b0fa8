/** The list of models that an endpoint has: its forms, its bounds, and how it fails. */
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { refusingNever } from '../../../models/http/connections.ts'
import { listedModels } from '../../../models/http/listed-models.ts'
import { failure, hang, hangUp, json } from '../../support/model-endpoint.ts'
import { failureOf, scriptedEndpoint } from '../support/calls.ts'

const settingKeys = { url: 'URL', key: 'KEY' }
const list = (baseUrl: string, { apiKey = 'sk-list-key', ms = 5_000 } = {}) =>
  listedModels({ baseUrl, apiKey, model: '', settingKeys }, AbortSignal.timeout(ms))

test('is asked beside the path of chats, with the key', async () => {
  const endpoint = await scriptedEndpoint()
  endpoint.always(
    json({ object: 'list', data: [{ id: 'b' }, { id: 'a/1' }, { id: 'b' }, { id: 3 }, null, { id: '' }] }),
  )
  expect(await list(endpoint.url)).toEqual(['b', 'a/1'])
  expect(await list(`${endpoint.url}/chat/completions?api-version=1`, { apiKey: '' })).toEqual(['b', 'a/1'])
  expect(endpoint.requests.map(({ method, path, headers }) => [method, path, headers.authorization])).toEqual([
    ['GET', '/v1/models', 'Bearer sk-list-key'],
    ['GET', '/v1/models?api-version=1', undefined],
  ])
})

test.each([
  [{ models: [{ name: 'llama' }, { id: 'x', name: 'y' }] }, ['llama', 'x']],
  [
    ['m1', { id: 'm2' }],
    ['m1', 'm2'],
  ],
  [{ data: [] }, []],
  [{ data: Array.from({ length: 6_000 }, (_, at) => ({ id: `m${at}` })) }, expect.objectContaining({ length: 5_000 })],
  [{ data: [{ id: 'x'.repeat(257) }, { id: 'ok' }] }, ['ok']],
])('reads %j', async (body, expected) => {
  const endpoint = await scriptedEndpoint()
  endpoint.always(json(body))
  expect(await list(endpoint.url)).toEqual(expected)
})

test.each([
  ['no list', json({ error: 'none' }), 'garbage'],
  ['no JSON', json('text'), 'garbage'],
  ['a list that is too long', json({ data: 'x'.repeat(2_200_000) }), 'garbage'],
  ['a refusal of the key', failure(401), 'endpoint_credentials'],
  ['404', failure(404), 'model_unknown'],
  ['a redirect', json({}, 302, { location: 'http://127.0.0.1:1/' }), 'endpoint_error'],
  ['an end without an answer', hangUp, 'endpoint_unreachable'],
] as const)('says what went wrong with %s', async (_, answer, code) => {
  const endpoint = await scriptedEndpoint()
  endpoint.always(answer)
  expect((await failureOf(list(endpoint.url))).code).toBe(code)
})

test('is not waited for longer than the caller waits', async () => {
  const endpoint = await scriptedEndpoint()
  endpoint.always(hang)
  expect((await failureOf(list(endpoint.url, { ms: 50 }))).code).toBe('endpoint_unreachable')
})

test.each([
  ['169.254.169.254', true],
  ['fe80::1', true],
  ['0.0.0.0', true],
  ['127.0.0.1', false],
  ['192.168.1.5', false],
  ['93.184.216.34', false],
])('a connection to %s is refused: %s', (remoteAddress, isRefused) => {
  let isDestroyed = false
  const socket = Object.assign(new EventEmitter(), {
    remoteAddress,
    destroy: () => (isDestroyed = true),
  }) as unknown as Socket
  const connect = refusingNever((_target, callback) => callback(null, socket))
  const target = { hostname: 'models.example.com', host: 'models.example.com', protocol: 'http:', port: '80' }
  let heard: unknown[] = []
  connect(target, (...args) => {
    heard = args
  })
  expect([isDestroyed, heard[0] !== null, heard[1] === socket]).toEqual([isRefused, isRefused, !isRefused])
})
