/** `service audit verify`, as an operator runs it. */
import { expect, onTestFinished, test } from 'vitest'
import { tamperer } from '../store/support/audit.ts'
import { freshAddress } from '../support/database.ts'
import { urlOf } from '../support/gateway.ts'
import { operator } from './support/command.ts'

test('a whole log is told so with the hash of its newest entry, a changed one with its place and exit code 1', async () => {
  const { address, drop } = await freshAddress()
  onTestFinished(drop)
  const { service } = await operator({ SERVICE_DATABASE_URL: urlOf(address) })
  await service('settings', 'set', 'SERVICE_LOCALE', 'de')
  await service('settings', 'set', 'SERVICE_LOCALE', 'fr')

  const whole = await service('audit', 'verify')
  expect(whole).toMatchObject({ code: 0, text: expect.stringMatching(/ws_\S+\s+2\s+2\s+[0-9a-f]{64}\s+whole/) })

  await tamperer(address)(`update audit_log set actor = 'nobody' where seq = 2`)
  const [broken, asJson, unknown] = await Promise.all([
    service('audit', 'verify'),
    service('audit', 'verify', '--json'),
    service('audit', 'verify', '--workspace', `ws_${'f'.repeat(32)}`),
  ])
  expect(broken).toMatchObject({ code: 1, text: expect.stringContaining('BROKEN at 2') })
  expect(asJson).toMatchObject({ code: 1, text: expect.stringContaining('"changed_row"') })
  expect(unknown).toMatchObject({ code: 1, text: expect.stringContaining('there is no workspace') })
})
