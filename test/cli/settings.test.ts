import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { completionOf, json, modelEndpoint } from '../support/model-endpoint.ts'
import { type Operator, operator } from './support/command.ts'

const shop = 'https://shop.example.com'

/** What browsers of that origin are told: null where it may not call. */
async function allowedOrigin({ url }: Operator): Promise<string | null> {
  const answer = await fetch(`${url}/v1/ping`, { headers: { origin: shop } })
  return answer.headers.get('access-control-allow-origin')
}

async function listed({ service }: Operator, key: string): Promise<unknown> {
  const { text } = await service('settings', 'list', '--json')
  return (JSON.parse(text) as { key: string }[]).find((each) => each.key === key)
}

test('with the service down: a value is stored, shown with its origin, and removed again', async () => {
  const { service } = await operator({ SERVICE_LLM_MODEL: 'of-the-environment' })
  expect((await service('settings', 'get', 'SERVICE_LLM_MODEL')).text).toMatch(
    /value\s+of-the-environment[\s\S]*origin\s+environment/,
  )

  const set = await service('settings', 'set', 'SERVICE_LLM_MODEL', 'of-the-store')
  expect(set).toMatchObject({ code: 0, text: expect.stringContaining('It overrides the environment.') })
  const stored = (await service('settings', 'get', 'SERVICE_LLM_MODEL')).text
  expect(stored).toMatch(/value\s+of-the-store[\s\S]*origin\s+stored/)
  expect(stored).toContain('overrides the environment')

  expect((await service('settings', 'unset', 'SERVICE_LLM_MODEL')).code).toBe(0)
  expect((await service('settings', 'get', 'SERVICE_LLM_MODEL')).text).toContain('of-the-environment')
  expect((await service('settings', 'get', 'SERVICE_LLM_RETRIES')).text).toMatch(/value\s+3[\s\S]*origin\s+default/)
})

test('an invalid value is refused with the allowed ones, an unknown key with similar ones, and nothing is stored', async () => {
  const { service } = await operator()
  const [refused, unknown, environmentOnly] = await Promise.all([
    service('settings', 'set', 'SERVICE_LLM_RETRIES', 'many'),
    service('settings', 'set', 'LLM_RETRIES', '1'),
    service('settings', 'set', 'SERVICE_DATA_DIR', '/elsewhere'),
  ])
  expect(refused.code).toBe(1)
  expect(refused.text).toContain('SERVICE_LLM_RETRIES cannot be "many": it must be a whole number from 0 to 20')
  expect(unknown.code).toBe(1)
  expect(unknown.text).toContain('SERVICE_LLM_RETRIES')
  expect(environmentOnly).toMatchObject({ code: 1, text: expect.stringContaining('only in the environment') })
  expect((await service('settings', 'list', '--json')).text).not.toContain('"origin": "stored"')
})

test('a key that ignores the environment does so, and a note says it', async () => {
  const { service } = await operator({ SERVICE_MCP_PUBLISH: '1' })
  const description = (await service('settings', 'get', 'SERVICE_MCP_PUBLISH')).text
  expect(description).toMatch(/value\s+0\norigin\s+default/)
  expect(description).toContain('the environment is ignored for this setting')
})

test('a secret that others have to know is not set when it is short', async () => {
  const { service } = await operator()
  const { code, text } = await service('settings', 'set', 'SERVICE_COMPAT_KEY', 'short')
  expect(code).not.toBe(0)
  expect(text).toContain('SERVICE_COMPAT_KEY must have at least 32 characters, or be blank')
  expect((await service('settings', 'get', 'SERVICE_COMPAT_KEY')).text).toContain('(not set)')
})

test('a secret is sealed with a key that only its owner can read, and is shown nowhere', async () => {
  const { service, serviceHearing, dataDir } = await operator()
  const secrets = ['sk-model-key-that-nobody-sees', 'piped-in-by-nobody-who-would-tell-it', 'in-an-address']
  const results = [
    await service('settings', 'set', 'SERVICE_LLM_API_KEY', 'sk-model-key-that-nobody-sees'),
    await serviceHearing('piped-in-by-nobody-who-would-tell-it\n', 'settings', 'set', 'SERVICE_INBOUND_SECRET', '-'),
    await service('settings', 'set', 'SERVICE_VIDEO_URL', 'http://user:in-an-address@example.com'),
  ]
  expect(results.map(({ code }) => code)).toEqual([0, 0, 0])
  const descriptions = await Promise.all([
    service('settings', 'get', 'SERVICE_LLM_API_KEY'),
    service('settings', 'get', 'SERVICE_INBOUND_SECRET'),
    service('settings', 'get', 'SERVICE_VIDEO_URL'),
    service('settings', 'list'),
    service('settings', 'list', '--json'),
  ])
  const everything = [...results, ...descriptions].map(({ text }) => text).join('\n')
  for (const secret of secrets) expect(everything).not.toContain(secret)
  expect(descriptions[0].text).toMatch(/value\s+\(set\)/)
  expect(descriptions[1].text).toMatch(/value\s+\(set\)/)
  expect(descriptions[2].text).toMatch(/value\s+http:\/\/user:\(hidden\)@example\.com/)
  const masterKey = join(dataDir, 'master.key')
  expect((await stat(masterKey)).mode & 0o777).toBe(0o600)
  expect(await readFile(masterKey, 'utf8')).not.toContain('sk-')
})

test('a value that looks like an option is a value', async () => {
  const { service } = await operator()
  const certificate = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----'
  expect((await service('settings', 'set', 'SERVICE_SAML_SP_CERT', certificate)).code).toBe(0)
  expect((await service('settings', 'set', 'SERVICE_EMBEDDER_KEEPALIVE', '-1')).code).toBe(0)
  const { text } = await service('settings', 'list', '--json')
  expect(JSON.parse(text)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ key: 'SERVICE_SAML_SP_CERT', value: certificate }),
      expect.objectContaining({ key: 'SERVICE_EMBEDDER_KEEPALIVE', value: '-1' }),
    ]),
  )
})

test('with the service up: live and immediate settings apply at once', async () => {
  const endpoint = await modelEndpoint()
  onTestFinished(() => endpoint.close())
  endpoint.always(json(completionOf('from the new endpoint')))
  const { service, start, chat } = await operator()
  const running = await start()
  expect(await (await chat()).text()).toContain('demonstration model')

  const live = await service('settings', 'set', 'SERVICE_LLM_GATEWAY_URL', endpoint.url)
  expect(live.text).toContain('applies at once')
  await expect.poll(async () => (await chat()).text()).toContain('from the new endpoint')

  const immediate = await service('settings', 'set', 'SERVICE_REQUIRE_2FA', '1')
  expect(immediate.text).toContain('applies at once')
  const heard = () => running.lines.filter(({ msg }) => msg === 'settings took effect').map((line) => line['settings'])
  await expect.poll(heard).toEqual([['SERVICE_LLM_GATEWAY_URL'], ['SERVICE_REQUIRE_2FA']])

  await service('settings', 'unset', 'SERVICE_LLM_GATEWAY_URL')
  await expect.poll(async () => (await chat()).text()).toContain('demonstration model')
})

test('with the service up: a setting that is read at start is pending until the next one', async () => {
  const installation = await operator({ SERVICE_LOG_LEVEL: 'debug' })
  const { service, start, stop } = installation
  const running = await start()
  expect((await service('settings', 'set', 'SERVICE_CORS_ORIGINS', shop)).text).toContain('applies after a restart')
  // Once the service has heard of this one it has heard of the other, which came first.
  await service('settings', 'set', 'SERVICE_LLM_TOP_P', '0.5')
  await running.said('settings took effect')
  expect(await allowedOrigin(installation)).toBeNull()
  expect(await listed(installation, 'SERVICE_CORS_ORIGINS')).toMatchObject({ value: shop, isPending: true })
  expect(await listed(installation, 'SERVICE_LLM_TOP_P')).toMatchObject({ value: '0.5', isPending: false })
  expect((await service('settings', 'get', 'SERVICE_CORS_ORIGINS')).text).toContain('applies after a restart')

  await stop()
  await start()
  expect(await allowedOrigin(installation)).toBe(shop)
  expect(await listed(installation, 'SERVICE_CORS_ORIGINS')).toMatchObject({ value: shop, isPending: false })
})

test('the built-in database serves commands with the service down and up', async () => {
  const installation = await operator({ SERVICE_DATABASE_URL: '' })
  const { service, start } = installation
  const down = await service('settings', 'set', 'SERVICE_CORS_ORIGINS', shop)
  expect(down).toEqual({ code: 0, text: 'SERVICE_CORS_ORIGINS is stored; it applies from the next start.' })
  const running = await start()
  expect(await allowedOrigin(installation)).toBe(shop)
  const up = await service('settings', 'set', 'SERVICE_LLM_TOP_P', '0.5')
  expect(up).toEqual({ code: 0, text: 'SERVICE_LLM_TOP_P is stored and applies at once.' })
  expect(await running.said('settings took effect')).toMatchObject({ settings: ['SERVICE_LLM_TOP_P'] })
})
