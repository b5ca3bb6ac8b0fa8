import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { loadMessages } from '../../store/conversations/history.ts'
import type { Database } from '../../store/database.ts'
import { startEmbedded } from '../../store/embedded/start.ts'
import { firstWorkspaceId } from '../../store/id.ts'
import { migrate } from '../../store/migrate.ts'
import { eventsOf, gatewayUnderTest } from '../support/gateway.ts'
import { streamOf } from '../support/model-endpoint.ts'
import { chatLoad } from './support/chat-load.ts'
import { dataFolder, turnsByStatus } from './support/service.ts'

const silent = pino({ level: 'silent' })

/**
 * A statement waits five seconds for its database to come back, and no longer; a stored turn makes three of them in a row.
 * The rest is for a machine whose cores others use.
 */
const slowestMsMax = 30_000

/** A gateway, and a PostgreSQL of its own that leaves and returns as the test says. */
async function onItsOwnDatabase() {
  const folder = { dataDir: await dataFolder(), isDataDirExplicit: true, log: silent }
  let database = await startEmbedded(folder)
  onTestFinished(() => database.stop())
  await migrate(database.address, silent)
  const service = await gatewayUnderTest({ SERVICE_LOG_LEVEL: 'fatal' }, { address: database.address })
  onTestFinished(() => service.stop())
  const ready = async () => (await fetch(`${service.url}/readyz`)).status
  return {
    service,
    async leave() {
      await database.stop()
      await expect.poll(ready).toBe(503)
    },
    async comeBack() {
      database = await startEmbedded(folder)
      await expect.poll(ready).toBe(200)
    },
  }
}

test('a database that is stopped and started under load: bounded refusals meanwhile, no answer without its record', async () => {
  const { service, leave, comeBack } = await onItsOwnDatabase()
  const load = chatLoad(service, 6)
  const answersGrow = async () => {
    const before = load.answered.length
    await expect.poll(() => load.answered.length).toBeGreaterThan(before + 100)
  }
  await answersGrow()
  expect(load.refused).toBe(0)
  await leave()
  await expect.poll(() => load.refused).toBeGreaterThanOrEqual(12)
  await comeBack()
  load.expectAnswers()
  await answersGrow()
  await load.end()

  expect(load.slowestMs).toBeLessThan(slowestMsMax)
  expect(service.gateway.stats()).toMatchObject({ turns: 0, streams: 0, crashes: 0 })
  for (const [conversation, heard] of load.heard) {
    const stored = (await loadMessages(service.db, firstWorkspaceId, conversation, 10_000)) ?? []
    const userTexts = stored
      .filter(({ role }) => role === 'user')
      .map(({ body }) => (body as { content: string }).content)
    expect(userTexts).toEqual(expect.arrayContaining([...heard]))
  }
  await expect.poll(() => notCompleted(service.db, load.answered), { interval: 100 }).toEqual([])
})

test('turns that run while the database leaves are answered whole, and their ends are written when it is back', async () => {
  const { service, leave, comeBack } = await onItsOwnDatabase()
  const gate = Promise.withResolvers<void>()
  service.endpoint.always(streamOf(['half ', 'and whole'], { gate: gate.promise }))
  const body = { model: 'm', messages: [{ role: 'user', content: 'hello' }], stream: true }
  const streams = Array.from({ length: 20 }, async () => (await service.post('/v1/chat/completions', body)).text())
  await expect.poll(() => turnsByStatus(service.db)).toEqual({ running: 20 })

  await leave()
  gate.resolve()
  for (const text of await Promise.all(streams)) {
    expect(text).toContain('and whole')
    expect(text).not.toContain('"error"')
    expect(eventsOf(text).at(-1)).toBe('[DONE]')
  }
  // Refused when nobody could write for as long as a statement waits: their ends have failed too by now.
  expect((await service.post('/v1/chat/completions', body)).status).toBe(503)
  await comeBack()

  await expect.poll(() => turnsByStatus(service.db), { interval: 100 }).toEqual({ completed: 20 })
})

/** Those of the answered calls that have no record of a completed turn. */
async function notCompleted(db: Database, answered: readonly string[]): Promise<string[]> {
  const rows = await db.system<{ request_id: string }>`select request_id from turns where status = 'completed'`
  const completed = new Set(rows.map((row) => row.request_id))
  return answered.filter((requestId) => !completed.has(requestId))
}
