import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Changes, listenForChanges, notifyChange } from '../../store/changes.ts'
import { asOwner, type FreshDatabase, freshDatabase } from '../support/database.ts'
import { until } from '../support/gateway.ts'
import { recordingLog } from '../support/recording-log.ts'

let fresh: FreshDatabase
let changes: Changes
beforeAll(async () => {
  fresh = await freshDatabase()
  changes = await listenForChanges(fresh.db, recordingLog().log)
})
afterAll(async () => {
  await changes.close()
  await fresh.drop()
})

async function killListener(): Promise<void> {
  await asOwner(`select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = '${fresh.address.database}' and application_name = 'service changes'`)
}

test('listeners are called for changes of their kind, until they unsubscribe', async () => {
  const heard: string[] = []
  const leave = changes.onChange('api_keys', () => heard.push('keys'))
  changes.onChange('settings', () => heard.push('settings'))

  await notifyChange(fresh.db, 'api_keys')
  await notifyChange(fresh.db, 'settings')
  await expect.poll(() => heard).toEqual(['keys', 'settings'])
  leave()
  await notifyChange(fresh.db, 'api_keys')
  await notifyChange(fresh.db, 'settings')

  await expect.poll(() => heard).toEqual(['keys', 'settings', 'settings'])
})

test('a listener that lost its connection reports it at once, reconnects, and then calls back for changes it may have missed', async () => {
  let fired = 0
  changes.onChange('api_keys', () => fired++)
  expect(changes.isListening).toBe(true)

  const sawDeaf = until(() => !changes.isListening)
  await killListener()
  await sawDeaf
  await expect.poll(() => changes.isListening).toBe(true)

  expect(fired).toBe(1)
  await notifyChange(fresh.db, 'api_keys')
  await expect.poll(() => fired).toBe(2)
})

test('many losses in a row leave one listener', async () => {
  for (let round = 0; round < 4; round++) {
    await killListener()
    await expect.poll(() => changes.isListening).toBe(true)
  }
  const [row] = await fresh.db.system<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'service changes'`
  expect(row?.count).toBe(1)
})
