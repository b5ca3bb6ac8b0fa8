/** The endpoints that operators and probes ask. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { App } from '../../../http/app.ts'
import type { Route } from '../../../http/route.ts'
import { clientLog } from '../../../http/system/client-log.ts'
import { healthz } from '../../../http/system/healthz.ts'
import { metrics } from '../../../http/system/metrics.ts'
import { listModels, readModel } from '../../../http/system/models.ts'
import { ping } from '../../../http/system/ping.ts'
import { readinessProbe } from '../../../http/system/readiness.ts'
import { readyz } from '../../../http/system/readyz.ts'
import { time } from '../../../http/system/time.ts'
import { type ModelChooser, modelChooser } from '../../../models/choose.ts'
import { seededRandom } from '../../../runtime/random.ts'
import { systemClock } from '../../../runtime/time/clock.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { type VirtualClock, virtualClock } from '../../support/virtual-clock.ts'
import { fixedKeys, principal, type TestGateway, testGateway } from '../support/server.ts'

const routes = [clientLog, healthz, metrics, listModels, readModel, ping, readyz, time]
const database = { isUp: true, schema: 'ready' as 'ready' | 'pending' | 'newer' }
const settings: Record<string, string> = {
  ...{ SERVICE_LLM_PROVIDER: '', SERVICE_LLM_GATEWAY_URL: '', SERVICE_LLM_MODEL: '' },
  ...{ SERVICE_NATIVE_API_KEY: '', SERVICE_NATIVE_MODEL: '', SERVICE_SUBSCRIPTION_MODEL: '' },
}
let test: TestGateway
let models: ModelChooser
let clock: VirtualClock

beforeAll(async () => {
  clock = virtualClock()
  const ready = readinessProbe({
    clock,
    isDatabaseUp: async () => database.isUp,
    schemaState: async () => database.schema,
    isDraining: () => test.gateway.isDraining,
  })
  const stub = { get: (key: string) => settings[key], onChange: () => () => {} } as unknown as App['settings']
  models = modelChooser({ settings: stub, clock, random: seededRandom(1), log: recordingLog().log })
  test = await testGateway(routes, {
    clock,
    keys: fixedKeys({ 'sk-chat': principal('chat'), 'sk-read': principal('admin:read') }),
    app: {
      ready,
      nodes: { node: 7, of: async () => undefined },
      settings: stub,
      models,
      services: { agents: { list: () => [] } } as unknown as App['services'],
      metrics: {
        public: { contentType: 'text/plain; version=0.0.4; charset=utf-8', metrics: async () => 'service_up 1\n' },
      } as unknown as App['metrics'],
    },
  })
})
afterAll(async () => {
  await test.stop()
  await models.close()
})

/** The answer, checked against what its route promises. */
async function promised(
  route: Route,
  { path = route.path, ...init }: RequestInit & { path?: string } = {},
): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${test.url}${path}`, { method: route.method, ...init })
  const body = await answer.json()
  const schema = route.answers[answer.status]
  if (schema instanceof z.ZodType) schema.parse(body)
  return { status: answer.status, body }
}

it('/healthz says that the process lives, and its version', async () => {
  expect(await promised(healthz)).toEqual({ status: 200, body: { status: 'ok', version: '0.0.0-test' } })
})

it('/v1/ping answers', async () => {
  expect(await promised(ping)).toEqual({ status: 200, body: { ok: true } })
})

it('/v1/time tells the clock of the service', async () => {
  expect((await promised(time)).body).toEqual({ time: new Date(clock.now()).toISOString(), unix_ms: clock.now() })
})

it('/metrics serves the public registry', async () => {
  const answer = await fetch(`${test.url}/metrics`)
  expect(answer.headers.get('content-type')).toContain('text/plain')
  expect(await answer.text()).toBe('service_up 1\n')
})

describe('/readyz', () => {
  async function look(): Promise<{ status: number; body: unknown }> {
    await clock.advance(1_000)
    return promised(readyz)
  }

  it('is 503 while the database is down, and 200 when it is back', async () => {
    expect(await look()).toEqual({ status: 200, body: { status: 'ready', node: 7 } })
    database.isUp = false
    expect(await look()).toMatchObject({ status: 503, body: { error: { code: 'not_ready', message: /database/ } } })
    database.isUp = true
    expect((await look()).status).toBe(200)
  })

  it('is 503 while the schema is not the one of this version', async () => {
    for (const schema of ['pending', 'newer'] as const) {
      database.schema = schema
      expect(await look()).toMatchObject({ status: 503, body: { error: { message: /schema/ } } })
    }
    database.schema = 'ready'
    expect((await look()).status).toBe(200)
  })
})

describe('the readiness probe', () => {
  it('looks once, however many ask at a time', async () => {
    let looks = 0
    const ready = readinessProbe({
      clock: virtualClock(),
      async isDatabaseUp() {
        looks++
        return true
      },
      schemaState: async () => 'ready',
      isDraining: () => false,
    })
    await Promise.all(Array.from({ length: 100 }, ready))
    await ready()
    expect(looks).toBe(1)
  })

  it('calls a database that hangs down, within two seconds', async () => {
    const slow = virtualClock()
    const ready = readinessProbe({
      clock: slow,
      isDatabaseUp: () => new Promise<boolean>(() => {}),
      schemaState: async () => 'ready',
      isDraining: () => false,
    })
    const asked = ready()
    await slow.advance(2_000)
    expect(await asked).toMatchObject({ isReady: false, database: 'down' })
  })

  it('calls one that fails down', async () => {
    const ready = readinessProbe({
      clock: systemClock,
      isDatabaseUp: async () => true,
      schemaState: () => Promise.reject(new Error('relation does not exist')),
      isDraining: () => false,
    })
    expect(await ready()).toMatchObject({ isReady: false, database: 'down' })
  })

  it('says so at once when the service drains', async () => {
    let isDraining = false
    const ready = readinessProbe({
      clock: virtualClock(),
      isDatabaseUp: async () => true,
      schemaState: async () => 'ready',
      isDraining: () => isDraining,
    })
    expect((await ready()).isReady).toBe(true)
    isDraining = true
    expect(await ready()).toMatchObject({ isReady: false, isDraining: true })
  })
})

describe('/v1/models', () => {
  const ask = (bearer: string) => promised(listModels, { headers: { authorization: `Bearer ${bearer}` } })
  it('lists the demonstration model, the configured one, or none where any name is the endpoint’s', async () => {
    expect((await ask('sk-chat')).body).toMatchObject({ object: 'list', data: [{ id: 'demo', object: 'model' }] })
    settings['SERVICE_LLM_GATEWAY_URL'] = 'http://127.0.0.1:1/v1'
    expect((await ask('sk-chat')).body).toEqual({ object: 'list', data: [] })
    settings['SERVICE_LLM_MODEL'] = 'some-model'
    expect((await ask('sk-chat')).body).toMatchObject({ data: [{ id: 'some-model' }] })
  })
  it('lists the model of the backend that answers', async () => {
    settings['SERVICE_LLM_GATEWAY_URL'] = ''
    settings['SERVICE_NATIVE_API_KEY'] = 'sk-native'
    settings['SERVICE_NATIVE_MODEL'] = 'native-model'
    expect((await ask('sk-chat')).body).toMatchObject({ data: [{ id: 'native-model' }] })
    settings['SERVICE_LLM_PROVIDER'] = 'subscription'
    settings['SERVICE_SUBSCRIPTION_MODEL'] = 'subscription-model'
    expect((await ask('sk-chat')).body).toMatchObject({ data: [{ id: 'subscription-model' }] })
  })
  it('takes a key with scope chat', async () => expect((await ask('sk-read')).status).toBe(403))

  const read = (path: string) =>
    promised(readModel, { path: `/v1/models/${path}`, headers: { authorization: 'Bearer sk-chat' } })
  it('answers one of them by its name, with slashes or without', async () => {
    settings['SERVICE_SUBSCRIPTION_MODEL'] = 'house/large model'
    for (const path of ['house/large%20model', 'house%2Flarge%20model'])
      expect(await read(path)).toMatchObject({ status: 200, body: { id: 'house/large model', object: 'model' } })
    for (const path of ['house', 'house/large', 'house//large%20model', 'house/large%20model/'])
      expect((await read(path)).status, path).toBe(404)
    expect((await read('none')).body).toMatchObject({
      error: { code: 'model_not_found', type: 'not_found_error', param: 'model' },
    })
  })
  it('takes any name where it is the endpoint’s to judge', async () => {
    settings['SERVICE_LLM_PROVIDER'] = ''
    settings['SERVICE_NATIVE_API_KEY'] = ''
    settings['SERVICE_LLM_GATEWAY_URL'] = 'http://127.0.0.1:1/v1'
    settings['SERVICE_LLM_MODEL'] = ''
    expect(await read('gpt-test')).toMatchObject({ status: 200, body: { id: 'gpt-test', owned_by: 'endpoint' } })
  })
})

describe('/v1/client-log', () => {
  const send = (body: unknown) =>
    promised(clientLog, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })

  it('writes what it is given as fields of a line of its own, and never above warn', async () => {
    test.lines.length = 0
    const entry = {
      level: 'error',
      message: 'Cannot read\r\n{"level":60,"msg":"forged"}\u001b[31m red \u202e reversed\u0000',
      source: 'app.js:1\n2',
      context: { page: '/a\nb', tries: 3 },
    }
    expect(await send({ entries: [entry] })).toEqual({ status: 202, body: { accepted: 1 } })
    const lines = test.lines.filter((line) => line.msg === 'client log')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({
      level: 40,
      client_ip: '127.0.0.1',
      client: {
        level: 'error',
        message: 'Cannot read {"level":60,"msg":"forged"} [31m red   reversed ',
        source: 'app.js:1 2',
        context: { page: '/a b', tries: 3 },
      },
    })
  })

  it('refuses what is too much or too odd', async () => {
    const entry = { message: 'x' }
    for (const bad of [
      {},
      { entries: [] },
      { entries: Array(21).fill(entry) },
      { entries: [{ message: 'x'.repeat(2_001) }] },
      { entries: [{ message: '' }] },
      { entries: [{ message: 'x', level: 'fatal' }] },
      { entries: [{ message: 'x', context: { deep: { er: 1 } } }] },
      {
        entries: [{ message: 'x', context: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`f${at}`, at])) }],
      },
    ]) {
      expect((await send(bad)).status).toBe(400)
    }
    expect((await send({ entries: [{ message: 'x'.repeat(70_000) }] })).status).toBe(413)
  })

  it('is limited for each address', async () => {
    await clock.advance(60_000)
    const answers: number[] = []
    for (let request = 0; request < 12; request++) answers.push((await send({ entries: [{ message: 'x' }] })).status)
    expect(answers).toEqual([...Array(10).fill(202), 429, 429])
    await clock.advance(1_000)
    expect((await send({ entries: [{ message: 'x' }] })).status).toBe(202)
  })
})
