/** A model endpoint is tried before it is stored: how far the trial came, and that no key goes astray. */
import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest } from '../../../support/gateway.ts'
import { type ModelEndpoint, modelEndpoint } from '../../../support/model-endpoint.ts'

let running: GatewayUnderTest
let other: ModelEndpoint
const key = 'sk-the-key-that-is-set-123'

beforeAll(async () => {
  running = await gatewayUnderTest({
    SERVICE_MODERATION: 'off',
    SERVICE_LLM_API_KEY: key,
    SERVICE_LLM_MODEL: 'set-model',
  })
  other = await modelEndpoint()
})
afterAll(async () => {
  await other.close()
  await running.stop()
})

async function tried(body: object) {
  const answer = await running.post('/v1/admin/settings/test-model', body)
  expect(answer.status).toBe(200)
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect in it
  const result = (await answer.json()) as any
  const steps = Object.fromEntries(
    result.steps.map(({ name, state }: { name: string; state: string }) => [name, state]),
  )
  return { ...result, steps }
}

const refusal = (status: number, body: object) =>
  other.script(({ response }) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })

test('what is set is tried with the key that is set, and what the model said comes back', async () => {
  const result = await tried({})
  expect(result).toMatchObject({ ok: true, status: 200, message: null, key_sent: true })
  expect(result.steps).toEqual({ address: 'ok', connection: 'ok', tls: 'skipped', authorisation: 'ok', answer: 'ok' })
  expect(running.endpoint.requests.at(-1)).toMatchObject({
    headers: { authorization: `Bearer ${key}` },
    body: { model: 'set-model' },
  })
  expect(result.said).toEqual(expect.any(String))
})

test('the key that is set goes to no other address', async () => {
  const result = await tried({ gateway_url: other.url })
  expect(result).toMatchObject({ ok: true, key_sent: false })
  expect(other.requests.at(-1)?.headers.authorization).toBeUndefined()
})

test('a key that is refused is told as such, in the words of the endpoint, and never comes back', async () => {
  refusal(401, { error: { message: 'wrong key sk-given-by-hand-99' } })
  const result = await tried({ gateway_url: other.url, key: 'sk-given-by-hand-99', model: 'm' })
  expect(result).toMatchObject({ ok: false, status: 401, key_sent: true })
  expect(result.steps).toMatchObject({ connection: 'ok', authorisation: 'failed', answer: 'unknown' })
  refusal(500, { error: { message: 'no luck with sk-given-by-hand-99' } })
  const failed = await tried({ gateway_url: other.url, key: 'sk-given-by-hand-99' })
  expect(failed).toMatchObject({ ok: false, status: 500, message: expect.stringContaining('no luck with [key]') })
  expect(failed.steps).toMatchObject({ authorisation: 'unknown', answer: 'failed' })
  expect(JSON.stringify([result, failed, running.lines])).not.toContain('given-by-hand')
})

test('a model that the endpoint does not have fails at the answer, behind authorisation', async () => {
  refusal(404, { error: { message: 'the model m does not exist', code: 'model_not_found' } })
  const result = await tried({ gateway_url: other.url, model: 'm', key: 'k' })
  expect(result).toMatchObject({ ok: false, status: 404, message: expect.stringContaining('does not exist') })
  expect(result.steps).toMatchObject({ authorisation: 'ok', answer: 'failed' })
})

test('where nobody listens the connection fails, and where nobody speaks TLS it fails at TLS', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {}).resume()
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  const noTls = await tried({ gateway_url: `https://127.0.0.1:${port}/v1` })
  expect(noTls.steps).toMatchObject({ connection: 'ok', tls: 'failed', authorisation: 'unknown' })
  await new Promise((resolve) => server.close(resolve))
  const nobody = await tried({ gateway_url: `http://127.0.0.1:${port}/v1` })
  expect(nobody).toMatchObject({ ok: false, status: null, message: expect.stringContaining('cannot be reached') })
  expect(nobody.steps).toMatchObject({ address: 'ok', connection: 'failed' })
})

test('what is no address fails at the address', async () => {
  for (const url of ['nothing', 'ftp://models.example.com'])
    expect((await tried({ gateway_url: url })).steps).toMatchObject({ address: 'failed', connection: 'unknown' })
})

test('two trials run at once, a third is told to come again, and nothing of any was stored', async () => {
  const held = Promise.withResolvers<void>()
  other.always(async (call) => {
    await held.promise
    call.response.writeHead(500).end()
  })
  const first = [tried({ gateway_url: other.url }), tried({ gateway_url: other.url })]
  const before = other.requests.length
  await other.until(() => other.requests.length >= before + 2 || other.openCalls >= 2)
  expect((await running.post('/v1/admin/settings/test-model', { gateway_url: other.url })).status).toBe(429)
  held.resolve()
  await Promise.all(first)
  expect(await running.db.system`select key from settings`).toEqual([])
})
