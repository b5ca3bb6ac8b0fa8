/** What the doctor finds of models, tools and code of agents, each check on the real thing it looks at. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { checkCode } from '../../cli/doctor/code.ts'
import { checkModel } from '../../cli/doctor/model.ts'
import { checkSecurity } from '../../cli/doctor/security.ts'
import { checkTools } from '../../cli/doctor/tools.ts'
import { openSettings } from '../../config/settings.ts'
import { commandName } from '../../runtime/command-name.ts'
import { freshAddress } from '../support/database.ts'
import { urlOf } from '../support/gateway.ts'
import { modelEndpoint } from '../support/model-endpoint.ts'

const settingsOf = (environment: Record<string, string>) => openSettings({ environment, stored: new Map() })

async function endpointWith(models: string[], key: string): Promise<string> {
  const endpoint = await modelEndpoint()
  onTestFinished(() => endpoint.close())
  endpoint.always(({ response, request }) => {
    const isKnown = request.headers['authorization'] === `Bearer ${key}`
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ object: 'list', data: models.map((id) => ({ id })) }))
  })
  return endpoint.url
}

describe('the model', () => {
  test('of the native API is asked for with its own key and found in the list', async () => {
    const url = await endpointWith(['large', 'small'], 'sk-native')
    const native = { SERVICE_NATIVE_API_KEY: 'sk-native', SERVICE_NATIVE_BASE_URL: url }
    expect(await checkModel(settingsOf({ ...native, SERVICE_NATIVE_MODEL: 'small' }))).toEqual([
      { check: 'model', state: 'ok', found: 'the native endpoint answers, model small' },
    ])
    const [missing] = await checkModel(settingsOf({ ...native, SERVICE_NATIVE_MODEL: 'tiny' }))
    expect(missing?.advice).toBe(
      `It lists large, small. To have the first: ${commandName()} settings set SERVICE_NATIVE_MODEL large`,
    )
  })

  test('of the subscription says which setting holds the token that is refused', async () => {
    const url = await endpointWith([], 'right')
    const [finding] = await checkModel(
      settingsOf({
        SERVICE_LLM_PROVIDER: 'subscription',
        SERVICE_SUBSCRIPTION_BASE_URL: url,
        SERVICE_SUBSCRIPTION_ACCESS_TOKEN: 'wrong-token',
      }),
    )
    expect(finding).toMatchObject({ state: 'failed', found: 'the subscription endpoint refuses the key (401)' })
    expect(finding?.advice).toContain('SERVICE_SUBSCRIPTION_ACCESS_TOKEN')
  })

  test('of each endpoint beside it is asked for with its key, and unknown fallbacks are named', async () => {
    const url = await endpointWith(['large', 'small'], 'sk-second')
    const stored = { provider: 'compatible', url, models: ['large'], isEnabled: true, hasKey: true }
    const by = { updatedAt: new Date(0), updatedBy: 'owner' }
    const endpoints = [
      { ...stored, ...by, name: 'good', key: 'sk-second' },
      { ...stored, ...by, name: 'wrong', key: 'sk-wrong' },
      { ...stored, ...by, name: 'lost', key: undefined },
      { ...stored, ...by, name: 'other', key: 'sk-second', models: ['tiny'] },
      { ...stored, ...by, name: 'off', key: undefined, isEnabled: false },
    ]
    const findings = await checkModel(settingsOf({ SERVICE_LLM_FALLBACKS: 'good, gone/x, default' }), endpoints)
    expect(findings).toMatchObject([
      { state: 'ok', found: 'the endpoint good answers, model large' },
      { state: 'failed', found: 'the endpoint wrong refuses the key (401)' },
      { state: 'failed', found: expect.stringContaining('endpoint lost is missing') },
      { state: 'failed', advice: expect.stringContaining('it lists large, small') },
      { state: 'warning', found: expect.stringContaining('gone') },
    ])
    expect(findings[1]?.advice).toBe(`Reads it from standard input: ${commandName()} secrets set model wrong`)
  })

  test('of a backend without an address has failed, and no demonstration stands in', async () => {
    const [finding] = await checkModel(settingsOf({ SERVICE_NATIVE_API_KEY: 'sk-native' }))
    expect(finding).toMatchObject({ state: 'failed', found: expect.stringContaining('has no address') })
    expect(finding?.advice).toContain('SERVICE_NATIVE_BASE_URL')
  })

  test('of a provider that is none is told beside what answers instead', async () => {
    const findings = await checkModel(settingsOf({ SERVICE_LLM_PROVIDER: 'subscribtion' }))
    expect(findings).toHaveLength(2)
    expect(findings[0]?.found).toContain('"subscribtion", which is no backend')
  })
})

describe('the folder of files', () => {
  test('is there, or is a file, or is not there', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'doctor-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'file')
    await writeFile(file, '')
    const stateOf = async (root: string) => (await checkTools(settingsOf({ SERVICE_FS_ROOT: root })))[0]
    expect(await stateOf(folder)).toMatchObject({ state: 'ok', found: expect.stringContaining(folder) })
    expect(await stateOf(file)).toMatchObject({ state: 'failed', found: `${file} is not a folder` })
    expect(await stateOf(join(folder, 'gone'))).toMatchObject({ state: 'failed' })
  })
})

test('an MCP server that cannot be read is named without what stands in its entry', async () => {
  const descriptions = { good: { command: 'x' }, bad: { url: 'ftp://secret-token@example.com' } }
  const findings = await checkTools(settingsOf({ SERVICE_MCP_SERVERS: JSON.stringify(descriptions) }))
  expect(findings).toMatchObject([
    { state: 'failed', found: expect.stringContaining('bad is left out: url: ') },
    { state: 'ok', found: 'good can be read' },
  ])
  expect(JSON.stringify(findings)).not.toContain('secret-token')
})

describe('the role of db_query', () => {
  test('a role without row-level security is a warning', async () => {
    const { address, drop } = await freshAddress()
    onTestFinished(drop)
    const findings = await checkTools(settingsOf({ SERVICE_DB_QUERY_DSN: urlOf(address) }))
    expect(findings).toMatchObject([
      { check: 'db_query', state: 'warning', found: expect.stringContaining('superuser') },
    ])
  })

  test('the check of a silent database is given up, and its password is not shown', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void silent.close())
    const { port } = silent.address() as { port: number }
    const dsn = `postgres://reader:the-password@127.0.0.1:${port}/shop`
    const findings = await checkTools(settingsOf({ SERVICE_DB_QUERY_DSN: dsn }), 300)
    expect(findings).toMatchObject([{ state: 'failed', found: expect.stringContaining('no answer within 0.3 s') }])
    expect(JSON.stringify(findings)).not.toContain('the-password')
  })

  test('of an address that is no database’s is refused as a setting', () => {
    expect(() => settingsOf({ SERVICE_DB_QUERY_DSN: 'mysql://example.com/shop' })).toThrow('SERVICE_DB_QUERY_DSN')
  })
})

describe('code', () => {
  test('that is off has no finding', async () => expect(await checkCode(settingsOf({}))).toEqual([]))

  test('runs as JavaScript in WebAssembly where nothing else is allowed', async () => {
    expect(await checkCode(settingsOf({ SERVICE_CODE_EXEC: '1' }))).toMatchObject([
      { check: 'code', state: 'ok', found: expect.stringContaining('quickjs runs javascript (strong)') },
    ])
  })

  test('that runs as a plain child is warned of, with what is not contained', async () => {
    const allowed = settingsOf({ SERVICE_CODE_EXEC: '1', SERVICE_CODE_EXEC_ALLOW_HOST: '1' })
    const findings = await checkCode(allowed, '/nowhere')
    const plain = findings.find(({ found }) => found.startsWith('plain runs '))
    expect(plain).toMatchObject({ state: 'warning', found: expect.stringContaining('network of the host') })
    expect(findings.some(({ found }) => found.includes('bubblewrap (bwrap) is missing'))).toBe(true)
  })

  test('that has an image and no engine is warned of', async () => {
    const image = settingsOf({ SERVICE_CODE_EXEC: '1', SERVICE_CODE_EXEC_SANDBOX_IMAGE: 'example/image' })
    const findings = await checkCode(image, '/nowhere')
    expect(
      findings.some(({ state, found }) => state === 'warning' && found.includes('neither docker nor podman')),
    ).toBe(true)
  })
})

test('a guard that is switched off is warned of, and one that is on is not', () => {
  const found = (value: string) => checkSecurity(settingsOf({ SERVICE_MODERATION: value })).map((each) => each.found)
  expect(found('off').join()).toContain('the guard is off')
  expect(found('on').join()).not.toContain('the guard is off')
})

describe('a database on another machine', () => {
  const found = (query: string, host = 'db.example.com', key = 'SERVICE_DATABASE_URL') =>
    checkSecurity(settingsOf({ [key]: `postgres://service:the-password@${host}:5432/service${query}` }))
      .map((each) => each.found)
      .join()

  test('is warned of where its certificate is not checked, without the password', () => {
    for (const query of ['', '?sslmode=require', '?sslmode=prefer', '?sslmode=disable']) {
      expect(found(query)).toContain('SERVICE_DATABASE_URL reaches db.example.com without TLS')
      expect(found(query)).not.toContain('the-password')
    }
    expect(found('', '[2001:db8::1]', 'SERVICE_DB_QUERY_DSN')).toContain('SERVICE_DB_QUERY_DSN reaches')
  })

  test('is not where it is checked, or the database is on this machine', () => {
    for (const query of ['?sslmode=verify-full', '?sslrootcert=system'])
      expect(found(query)).not.toContain('without TLS')
    for (const host of ['localhost', '127.0.0.1', '[::1]']) expect(found('', host)).not.toContain('without TLS')
    expect(found('?host=/var/run/postgresql')).not.toContain('without TLS')
  })
})
