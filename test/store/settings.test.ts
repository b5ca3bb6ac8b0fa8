import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteSetting, readSettings, writeSetting } from '../../src/store/settings.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

test('a stored setting is read back as it was written, and the last write counts', async () => {
  const { db } = fresh
  await writeSetting(db, 'SERVICE_LLM_MODEL', { value: 'one', isSealed: false, updatedBy: 'cli' })
  await writeSetting(db, 'SERVICE_LLM_MODEL', { value: 'two', isSealed: false, updatedBy: 'cli' })
  await writeSetting(db, 'SERVICE_LLM_API_KEY', { value: 'v1:sealed', isSealed: true, updatedBy: 'api' })

  const stored = await readSettings(db)

  expect(stored.get('SERVICE_LLM_MODEL')).toMatchObject({ value: 'two', isSealed: false })
  expect(stored.get('SERVICE_LLM_API_KEY')).toMatchObject({ value: 'v1:sealed', isSealed: true })
})

test('deleting says whether there was something to delete', async () => {
  const { db } = fresh
  await writeSetting(db, 'SERVICE_X', { value: '1', isSealed: false, updatedBy: 'cli' })
  expect(await deleteSetting(db, 'SERVICE_X')).toBe(true)
  expect(await deleteSetting(db, 'SERVICE_X')).toBe(false)
  expect((await readSettings(db)).has('SERVICE_X')).toBe(false)
})
