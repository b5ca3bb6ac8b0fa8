import { Client } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { freshDatabase } from '../support/database.ts'
import { eventsOf, urlOf } from '../support/gateway.ts'
import { completionOf, json, type ScriptedAnswer, streamOf } from '../support/model-endpoint.ts'
import { dataFolder, startService, turnsByStatus } from './support/service.ts'

async function startedOn(environment: Record<string, string>) {
  const fresh = await freshDatabase()
  onTestFinished(() => fresh.drop())
  const service = await startService({
    SERVICE_DATA_DIR: await dataFolder(),
    SERVICE_DATABASE_URL: urlOf(fresh.address),
    ...environment,
  })
  return { service, fresh }
}

test('SIGTERM under load: new work is refused, every running turn ends whole and recorded, and the exit is clean', async () => {
  const { service, fresh } = await startedOn({ SERVICE_DRAIN_TIMEOUT_S: '100' })
  const gate = Promise.withResolvers<void>()
  service.endpoint.always(streamOf(['half ', 'and whole'], { gate: gate.promise }))
  const whole: ScriptedAnswer = async (call) => {
    await gate.promise
    await json(completionOf('half and whole'))(call)
  }
  const streamed = streamOf(['half ', 'and whole'], { gate: gate.promise })
  service.endpoint.always((call) => (call.request.body.stream ? streamed(call) : whole(call)))
  const running = Array.from({ length: 60 }, async (_, at) => {
    const isStream = at % 3 > 0
    const answer = await service.chat({ stream: isStream }, at % 5 === 0 ? { 'x-service-conversation-id': 'new' } : {})
    return { isStream, status: answer.status, text: await answer.text() }
  })
  await service.endpoint.until(() => service.endpoint.openCalls === 60)
  const client = new Client(service.url)
  onTestFinished(() => client.destroy())
  await (await client.request({ method: 'GET', path: '/healthz' })).body.dump()

  service.process.child.kill('SIGTERM')
  const toldAtMs = performance.now()
  await expect.poll(() => service.status('/readyz'), { interval: 10 }).not.toBe(200)
  // Whoever has a connection is told, whoever has none finds nobody.
  const late = await client.request({ method: 'POST', path: '/v1/chat/completions', body: '{}' })
  expect(late.statusCode).toBe(503)
  expect(late.headers).toMatchObject({ 'retry-after': '1', connection: 'close' })
  expect(await late.body.json()).toMatchObject({ error: { code: 'draining', type: 'overloaded_error' } })
  const stranger = new Client(service.url)
  onTestFinished(() => stranger.destroy())
  await expect(stranger.request({ method: 'GET', path: '/healthz' })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  gate.resolve()

  for (const { isStream, status, text } of await Promise.all(running)) {
    expect(status).toBe(200)
    expect(text).toContain('and whole')
    if (isStream) expect(eventsOf(text).at(-1)).toBe('[DONE]')
    else expect(JSON.parse(text)).toMatchObject({ choices: [{ message: { content: 'half and whole' } }] })
  }
  expect(await service.process.end).toBe(0)
  expect(performance.now() - toldAtMs, 'a drain lasts as long as what runs, not as long as it may').toBeLessThan(60_000)
  expect(await turnsByStatus(fresh.db)).toEqual({ completed: 60 })
})

test('a model that does not end is cut off at the drain’s end: the stream says so, the turn is interrupted, the exit is clean', async () => {
  const { service, fresh } = await startedOn({ SERVICE_DRAIN_TIMEOUT_S: '1' })
  service.endpoint.always(streamOf(['half', 'never'], { gate: new Promise(() => {}) }))
  const answer = await service.chat({ stream: true })
  const reading = answer.text()
  await service.endpoint.until(() => service.endpoint.openCalls === 1)

  service.process.child.kill('SIGTERM')
  const data = eventsOf(await reading)
  expect(data.at(-1)).toBe('[DONE]')
  expect(JSON.parse(data.at(-2) ?? '')).toMatchObject({ error: { code: 'interrupted' } })
  expect(await service.process.end).toBe(0)
  expect(await turnsByStatus(fresh.db)).toEqual({ interrupted: 1 })
})
