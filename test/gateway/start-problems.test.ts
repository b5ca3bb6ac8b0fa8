import { expect, test } from 'vitest'
import { SealBroken } from '../../config/seal.ts'
import { openSettings } from '../../config/settings.ts'
import { startProblems } from '../../gateway/start-problems.ts'
import { StartFailed } from '../../runtime/lifecycle.ts'
import { MigrationRefused } from '../../store/migrate.ts'

function settingsFailure(environment: Record<string, string>, stored: Record<string, string> = {}): unknown {
  try {
    openSettings({ environment, stored: new Map(Object.entries(stored)) })
    return undefined
  } catch (error) {
    return new StartFailed('settings', error)
  }
}

test('each refused setting is one problem with its name, the reason and what to do where its value is', () => {
  const problems = startProblems(settingsFailure({ SERVICE_GATEWAY_ADDR: 'nonsense' }, { SERVICE_LLM_RETRIES: 'many' }))
  expect(problems).toEqual([
    {
      code: 'setting_refused',
      setting: 'SERVICE_LLM_RETRIES',
      reason: 'SERVICE_LLM_RETRIES cannot be "many": it must be a whole number from 0 to 20',
      advice: expect.stringMatching(
        /settings set SERVICE_LLM_RETRIES VALUE", or ".* settings unset SERVICE_LLM_RETRIES"/,
      ),
    },
    {
      code: 'setting_refused',
      setting: 'SERVICE_GATEWAY_ADDR',
      reason: 'SERVICE_GATEWAY_ADDR cannot be "nonsense": it must be host:port or :port',
      advice:
        'change the environment variable SERVICE_GATEWAY_ADDR, or unset it for the default :8780, and start again',
    },
  ])
})

test('what else an operator can put right is one line without a stack', () => {
  const refused = new StartFailed('database', new MigrationRefused('the database is newer'))
  expect(startProblems(refused)).toEqual([{ code: 'migration_refused', reason: 'the database is newer' }])
  const sealed = new StartFailed('settings', new SealBroken('sealed under another master key'))
  expect(startProblems(sealed)).toMatchObject([{ reason: 'sealed under another master key', advice: /master key/ }])
})

test('a defect keeps its stack', () => {
  const defect = new StartFailed('settings', new TypeError('undefined is not a function'))
  expect(startProblems(defect)).toEqual([{ err: defect }])
})
