import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listAudit } from '../../store/audit/audit.ts'
import { firstWorkspaceId } from '../../store/id.ts'
import {
  changeSettings,
  readPlainSettings,
  type SettingsChange,
  SettingsConflict,
  storeSetting,
  unstoreSetting,
} from '../../store/settings/live-settings.ts'
import { readSettings, rewriteSettings, type SettingWrite } from '../../store/settings/settings.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

const key = { bytes: Buffer.alloc(32, 7) }
const masterKey = () => key
const actor = { workspaceId: firstWorkspaceId, name: 'anna', ip: '::1', requestId: 'r' }
const anything = () => {}

function change(
  set: Record<string, string>,
  unset: string[] = [],
  expected: Record<string, string | true | null> = {},
): SettingsChange {
  return {
    set: new Map(Object.entries(set)),
    unset: new Set(unset),
    expected: new Map(Object.entries(expected)),
  } as unknown as SettingsChange
}

async function entries() {
  const found = await listAudit(fresh.db, firstWorkspaceId, { before: null, limit: 100 })
  return found.map(({ actor: who, action, target, detail }) => ({ who, action, target, detail }))
}

beforeEach(async () => {
  const stored = await readSettings(fresh.db)
  await rewriteSettings(fresh.db, actor, () =>
    [...stored.keys()].map((name): SettingWrite => ({ key: name, value: null, shown: { before: null, after: null } })),
  )
})

test('a stored setting is read as it was written, the last write wins, and secrets are sealed', async () => {
  const { db } = fresh
  await storeSetting(db, masterKey, 'SERVICE_LLM_MODEL', 'one', 'cli')
  await storeSetting(db, masterKey, 'SERVICE_LLM_MODEL', 'two', 'cli')
  await storeSetting(db, masterKey, 'SERVICE_LLM_API_KEY', 'sk-very-secret', 'cli')
  const stored = await readSettings(db)
  expect(stored.get('SERVICE_LLM_MODEL')).toMatchObject({ value: 'two', isSealed: false })
  expect(stored.get('SERVICE_LLM_API_KEY')).toMatchObject({ isSealed: true })
  expect(stored.get('SERVICE_LLM_API_KEY')?.value).not.toContain('secret')
  expect((await readPlainSettings(db, masterKey)).get('SERVICE_LLM_API_KEY')).toBe('sk-very-secret')
})

test('unsetting reports whether something was stored', async () => {
  const { db } = fresh
  await storeSetting(db, masterKey, 'SERVICE_LLM_MODEL', '1', 'cli')
  expect(await unstoreSetting(db, 'SERVICE_LLM_MODEL')).toBe(true)
  expect(await unstoreSetting(db, 'SERVICE_LLM_MODEL')).toBe(false)
  expect((await readSettings(db)).has('SERVICE_LLM_MODEL')).toBe(false)
})

test('each change has an entry with the old and the new value; for a secret only whether it is set', async () => {
  const { db } = fresh
  await storeSetting(db, masterKey, 'SERVICE_LLM_MODEL', 'old', 'cli')
  const attempted = change(
    {
      SERVICE_LLM_MODEL: 'new',
      SERVICE_LLM_API_KEY: 'sk-very-secret',
      SERVICE_LLM_GATEWAY_URL: 'http://u:pw@h.example.com/v1',
    },
    ['SERVICE_LLM_PROVIDER'],
  )
  expect((await changeSettings(db, masterKey, actor, attempted, anything)).sort()).toEqual([
    'SERVICE_LLM_API_KEY',
    'SERVICE_LLM_GATEWAY_URL',
    'SERVICE_LLM_MODEL',
  ])
  const [url, secret, model, byCommand] = await entries()
  expect(model).toEqual({
    ...{ who: 'anna', action: 'setting.set', target: 'SERVICE_LLM_MODEL' },
    detail: { before: { value: 'old' }, after: { value: 'new' } },
  })
  expect(secret).toMatchObject({ detail: { before: null, after: { isSet: true } } })
  expect(url).toMatchObject({ detail: { after: { value: 'http://u:(hidden)@h.example.com/v1' } } })
  expect(byCommand).toMatchObject({ who: 'cli', detail: { before: null, after: { value: 'old' } } })
  expect(JSON.stringify(await db.system`select * from audit_log`)).not.toMatch(/very-secret|:pw@/)
})

test('a value that is stored already, or comes back redacted, is not a change', async () => {
  const { db } = fresh
  const url = 'http://u:pw@h.example.com/v1'
  await changeSettings(db, masterKey, actor, change({ SERVICE_LLM_GATEWAY_URL: url, SERVICE_LLM_MODEL: 'm' }), anything)
  const before = (await entries()).length
  const redactedValues = { SERVICE_LLM_GATEWAY_URL: 'http://u:(hidden)@h.example.com/v1', SERVICE_LLM_MODEL: 'm' }
  expect(await changeSettings(db, masterKey, actor, change(redactedValues), anything)).toEqual([])
  expect(await entries()).toHaveLength(before)
  expect((await readSettings(db)).get('SERVICE_LLM_GATEWAY_URL')?.value).toBe(url)
})

test('a refused change changes nothing and leaves no entry', async () => {
  const { db } = fresh
  const before = (await entries()).length
  const checkedValues: string[][] = []
  const refused = changeSettings(db, masterKey, actor, change({ SERVICE_LLM_MODEL: 'x' }), (wanted) => {
    checkedValues.push([...wanted.keys()])
    throw new Error('no')
  })
  await expect(refused).rejects.toThrow('no')
  expect(checkedValues).toEqual([['SERVICE_LLM_MODEL']])
  expect((await readSettings(db)).size).toBe(0)
  expect(await entries()).toHaveLength(before)
})

test('when two change the same settings, the second gets the present values', async () => {
  const { db } = fresh
  await storeSetting(db, masterKey, 'SERVICE_LLM_MODEL', 'read', 'cli')
  const both = await Promise.allSettled(
    ['mine', 'yours'].map((text) =>
      changeSettings(
        db,
        masterKey,
        actor,
        change({ SERVICE_LLM_MODEL: text }, [], { SERVICE_LLM_MODEL: 'read' }),
        anything,
      ),
    ),
  )
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const lost = both.find((one) => one.status === 'rejected')?.reason
  expect(lost).toBeInstanceOf(SettingsConflict)
  const there = (await readSettings(db)).get('SERVICE_LLM_MODEL')?.value
  expect(Object.fromEntries((lost as SettingsConflict).current)).toEqual({ SERVICE_LLM_MODEL: there })
})

test('of a secret only whether it is set can be expected, so that it cannot be guessed', async () => {
  const { db } = fresh
  await storeSetting(db, masterKey, 'SERVICE_LLM_API_KEY', 'sk-very-secret', 'cli')
  const changeExpecting = (seen: string | true | null) =>
    change({ SERVICE_LLM_API_KEY: 'n' }, [], { SERVICE_LLM_API_KEY: seen })
  for (const seen of ['sk-very-secret', null])
    await expect(changeSettings(db, masterKey, actor, changeExpecting(seen), anything)).rejects.toMatchObject({
      current: new Map([['SERVICE_LLM_API_KEY', true]]),
    })
  expect(await changeSettings(db, masterKey, actor, changeExpecting(true), anything)).toEqual(['SERVICE_LLM_API_KEY'])
})
