import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../bench/process/free-port.ts'
import { modelEndpoint } from '../support/model-endpoint.ts'
import { operator } from './support/command.ts'

test('in a healthy installation no check fails', async () => {
  const { service } = await operator()
  const { code, text } = await service('doctor')
  expect(text).not.toContain('FAILED')
  expect(code).toBe(0)
  for (const check of ['node', 'files', 'database', 'port', 'model']) expect(text).toContain(`${check}: `)
})

test('the running service is recognised on its port', async () => {
  const { service, start } = await operator()
  await start()
  expect((await service('doctor')).text).toContain('port: the service answers')
})

test('each problem is reported with what to do about it', async () => {
  const closed = await freePort()
  const squatter = createServer((socket) => socket.end('not you\n'))
  await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void squatter.close())
  const { port } = squatter.address() as { port: number }
  const { service, dataDir } = await operator({
    SERVICE_GATEWAY_ADDR: `127.0.0.1:${port}`,
    SERVICE_WEBUI_ADDR: '127.0.0.1:0',
    SERVICE_LLM_GATEWAY_URL: `http://127.0.0.1:${closed}/v1`,
    SERVICE_DATABASE_URL: `postgres://nobody:not-the-password@127.0.0.1:${closed}/nothing`,
  })
  await mkdir(dataDir, { recursive: true })
  await writeFile(join(dataDir, 'master.key'), 'x')
  await chmod(join(dataDir, 'master.key'), 0o644)

  const { code, text } = await service('doctor')
  expect(code).toBe(1)
  expect(text).toMatch(/FAILED\s+files: .*can be read by others\n\s+chmod 600 /)
  expect(text).toMatch(/FAILED\s+database: .*\n\s+Is the server of SERVICE_DATABASE_URL running/)
  expect(text).toMatch(/FAILED\s+port: .* is in use by another program\n\s+Stop that program/)
  expect(text).toMatch(/FAILED\s+model: the compatible endpoint cannot be reached.*\n\s+Is it running\?/)
  expect(text).not.toContain('not-the-password')
})

test('an endpoint without the configured model is reported', async () => {
  const endpoint = await modelEndpoint()
  onTestFinished(() => endpoint.close())
  endpoint.always(({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'one' }, { id: 'two' }] }))
  })
  const { service } = await operator({ SERVICE_LLM_GATEWAY_URL: endpoint.url, SERVICE_LLM_MODEL: 'three' })
  const { code, text } = await service('doctor')
  expect(code).toBe(1)
  expect(text).toMatch(
    /does not list the model three\n\s+It lists one, two. To have the first: node \S*service\.js settings set SERVICE_LLM_MODEL one\n/,
  )
})

test('a service that answers on the port and uses another database is not taken for the one that was judged', async () => {
  const { service, start, url } = await operator()
  await start()
  const there = await service('doctor')
  expect(there.text).toContain('ok       port: the service answers on')
  const elsewhere = await operator({ SERVICE_GATEWAY_ADDR: new URL(url).host })
  const { text } = await elsewhere.service('doctor')
  expect(text).toMatch(/warning {2}port: a service answers on \S+, and not one of the database that was looked at/)
})

test.runIf(process.platform === 'linux')(
  'it judges the running service, not the environment in which it is asked',
  async () => {
    const open = 'anybody who reaches the inbound endpoint can post messages'
    const { service, start, stop } = await operator()
    process.env['SERVICE_INBOUND_SECRET'] = 'of-the-service-that-runs-0123456789'
    try {
      await start()
    } finally {
      delete process.env['SERVICE_INBOUND_SECRET']
    }
    const running = (await service('doctor')).text
    expect(running).toMatch(/service: runs since \S+, process \d+: its settings are judged/)
    expect(running).not.toContain(open)
    expect(running).not.toContain('of-the-service-that-runs')
    await stop()
    const stopped = (await service('doctor')).text
    expect(stopped).toContain('service: none runs with the database of SERVICE_DATABASE_URL')
    expect(stopped).toContain(open)
  },
)

test('settings that have no effect in this version are named by the doctor, by the list and when they are set', async () => {
  const { service } = await operator({ SERVICE_LDAP_ENABLED: '1' })
  expect((await service('settings', 'set', 'SERVICE_TTS_URL', 'http://127.0.0.1:8002')).text).toContain('no effect')
  expect((await service('settings', 'list')).text).toMatch(/SERVICE_LDAP_ENABLED .*no effect in this version/)
  const { text } = await service('doctor')
  expect(text).toMatch(/warning\s+settings: without effect: SERVICE_TTS_URL, SERVICE_LDAP_ENABLED\n/)
})
