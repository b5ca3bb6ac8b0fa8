import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { completionOf, json, modelEndpoint } from '../support/model-endpoint.ts'
import { operator } from './support/command.ts'

test('with the service down: a value is stored, shown with its origin, and forgotten again', async () => {
  const { service } = await operator({ SERVICE_LLM_MODEL: 'of-the-environment' })
  expect((await service('settings', 'get', 'SERVICE_LLM_MODEL')).text).toMatch(
    /value\s+of-the-environment[\s\S]*origin\s+environment/,
  )

  const set = await service('settings', 'set', 'SERVICE_LLM_MODEL', 'of-the-store')
  expect(set).toMatchObject({ code: 0, text: expect.stringContaining('It hides the value of the environment.') })
  const stored = (await service('settings', 'get', 'SERVICE_LLM_MODEL')).text
  expect(stored).toMatch(/value\s+of-the-store[\s\S]*origin\s+stored/)
  expect(stored).toContain('hides a value of the environment')

  expect((await service('settings', 'unset', 'SERVICE_LLM_MODEL')).code).toBe(0)
  expect((await service('settings', 'get', 'SERVICE_LLM_MODEL')).text).toContain('of-the-environment')
  expect((await service('settings', 'get', 'SERVICE_LLM_RETRIES')).text).toMatch(/value\s+3[\s\S]*origin\s+default/)
})

test('a value that is not allowed is refused with what is, an unknown key with what was meant, and nothing is stored', async () => {
  const { service } = await operator()
  const refused = await service('settings', 'set', 'SERVICE_LLM_RETRIES', 'many')
  expect(refused.code).toBe(1)
  expect(refused.text).toContain('SERVICE_LLM_RETRIES cannot be "many": it must be a whole number from 0 to 20')
  const unknown = await service('settings', 'set', 'LLM_RETRIES', '1')
  expect(unknown.code).toBe(1)
  expect(unknown.text).toContain('SERVICE_LLM_RETRIES')
  expect((await service('settings', 'get', 'SERVICE_LLM_RETRIES')).text).toMatch(/origin\s+default/)
})

test('a secret is sealed under a key that only its owner can read, and is shown nowhere', async () => {
  const { service, dataDir } = await operator()
  const secret = 'sk-model-key-that-nobody-sees'
  const set = await service('settings', 'set', 'SERVICE_LLM_API_KEY', secret)
  expect(set.code).toBe(0)
  const shown = await service('settings', 'get', 'SERVICE_LLM_API_KEY')
  const listed = await service('settings', 'list')
  const asJson = await service('settings', 'list', '--json')
  expect(`${set.text}${shown.text}${listed.text}${asJson.text}`).not.toContain(secret)
  expect(shown.text).toMatch(/value\s+\(set\)/)
  const masterKey = join(dataDir, 'master.key')
  expect((await stat(masterKey)).mode & 0o777).toBe(0o600)
  expect(await readFile(masterKey, 'utf8')).not.toContain(secret)
})

test('with the service up: a live setting counts at once, one that is read at start is pending until then', async () => {
  const endpoint = await modelEndpoint()
  onTestFinished(() => endpoint.close())
  endpoint.always(json(completionOf('from the new endpoint')))
  const { service, start, stop, chat } = await operator()
  await start()
  expect(await (await chat()).text()).toContain('demonstration model')

  const live = await service('settings', 'set', 'SERVICE_LLM_GATEWAY_URL', endpoint.url)
  expect(live.text).toContain('counts at once')
  await expect.poll(async () => (await chat()).text(), { timeout: 5_000 }).toContain('from the new endpoint')

  const restart = await service('settings', 'set', 'SERVICE_LLM_RETRIES', '7')
  expect(restart.text).toContain('counts after a restart')
  expect((await service('settings', 'get', 'SERVICE_LLM_RETRIES')).text).toContain('counts after a restart')
  await stop()
  await start()
  expect((await service('settings', 'get', 'SERVICE_LLM_RETRIES')).text).not.toContain('counts after a restart')

  await service('settings', 'unset', 'SERVICE_LLM_GATEWAY_URL')
  await expect.poll(async () => (await chat()).text(), { timeout: 5_000 }).toContain('demonstration model')
})
