import { expect, onTestFinished, test } from 'vitest'
import { freshDatabase } from '../support/database.ts'
import { eventsOf, urlOf } from '../support/gateway.ts'
import { streamOf } from '../support/model-endpoint.ts'
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
  const { service, fresh } = await startedOn({ SERVICE_DRAIN_TIMEOUT_S: '20' })
  const gate = Promise.withResolvers<void>()
  service.endpoint.always(streamOf(['half ', 'and whole'], { gate: gate.promise }))
  const running = Array.from({ length: 50 }, async (_, at) => {
    const answer = await service.chat({ stream: true }, at % 5 === 0 ? { 'x-service-conversation-id': 'new' } : {})
    return { status: answer.status, text: await answer.text() }
  })
  await service.endpoint.until(() => service.endpoint.openCalls === 50)

  service.process.child.kill('SIGTERM')
  await expect.poll(() => service.status('/readyz'), { timeout: 10_000, interval: 10 }).not.toBe(200)
  // A new connection finds nobody, or somebody who says that the service is stopping.
  const refused = await service.chat({}).then(
    ({ status }) => status,
    () => 503,
  )
  expect(refused).toBe(503)
  gate.resolve()

  for (const { status, text } of await Promise.all(running)) {
    expect(status).toBe(200)
    expect(text).toContain('and whole')
    expect(eventsOf(text).at(-1)).toBe('[DONE]')
  }
  expect(await service.process.end).toBe(0)
  expect(await turnsByStatus(fresh.db)).toEqual({ completed: 50 })
}, 60_000)

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
}, 60_000)
