import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { startEmbedded } from '../../src/store/embedded/start.ts'
import { migrate } from '../../src/store/migrate.ts'
import { gatewayUnderTest } from '../support/gateway.ts'
import { dataFolder } from './support/service.ts'

const silent = pino({ level: 'silent' })

test('a database that is stopped and started under load: bounded refusals meanwhile, no answer without its record', async () => {
  const folder = { dataDir: await dataFolder(), isDataDirGiven: true, log: silent }
  let database = await startEmbedded(folder)
  onTestFinished(() => database.stop())
  await migrate(database.address, silent)
  const service = await gatewayUnderTest({ SERVICE_LOG_LEVEL: 'fatal' }, { address: database.address })
  onTestFinished(() => service.stop())
  const ready = async () => (await fetch(`${service.url}/readyz`)).status

  const answered: string[] = []
  const statuses = new Set<number>()
  let slowestMs = 0
  let isOver = false
  const load = Array.from({ length: 16 }, async () => {
    while (!isOver) {
      const startedMs = performance.now()
      const answer = await service.post('/v1/chat/completions', {
        model: 'm',
        messages: [{ role: 'user', content: 'hello' }],
      })
      const body = (await answer.json()) as { error?: { code: string } }
      slowestMs = Math.max(slowestMs, performance.now() - startedMs)
      statuses.add(answer.status)
      if (answer.status === 200) answered.push(answer.headers.get('x-request-id') ?? '')
      else expect(body.error).toMatchObject({ code: 'database_down' })
    }
  })
  const answersGrow = async () => {
    const before = answered.length
    await expect.poll(() => answered.length, { timeout: 20_000 }).toBeGreaterThan(before + 50)
  }

  await answersGrow()
  await database.stop()
  await expect.poll(ready, { timeout: 20_000 }).toBe(503)
  await expect.poll(() => [...statuses], { timeout: 20_000 }).toContain(503)
  database = await startEmbedded(folder)
  await expect.poll(ready, { timeout: 20_000 }).toBe(200)
  await answersGrow()
  isOver = true
  await Promise.all(load)

  expect([...statuses].sort()).toEqual([200, 503])
  // A query waits five seconds for its database to come back, and no longer.
  expect(slowestMs).toBeLessThan(15_000)
  const rows = await service.db.system<{ request_id: string }>`select request_id from turns`
  const recorded = new Set(rows.map((row) => row.request_id))
  expect(answered.filter((requestId) => !recorded.has(requestId))).toEqual([])
}, 120_000)
