import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { freePort } from '../../bench/process/free-port.ts'
import { builtService } from '../support/built-service.ts'
import { endSpawned, isAlive, type Spawned, spawnNode } from '../support/spawned.ts'

const bin = builtService()

const key = `sk-${'t'.repeat(43)}`

const folders: string[] = []
afterEach(async () => {
  await endSpawned()
  for (const folder of folders.splice(0))
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

/** The whole service as its users start it, on a built-in database of its own. */
async function startedService() {
  const folder = await mkdtemp(join(tmpdir(), 'service-start-'))
  folders.push(folder)
  await chmod(folder, 0o755) // the built-in database may run as another user, who has to get through here
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const service = spawnNode(bin, ['start'], {
    environment: {
      SERVICE_DATA_DIR: join(folder, 'data'),
      SERVICE_GATEWAY_ADDR: `127.0.0.1:${port}`,
      SERVICE_WEBUI_ADDR: '127.0.0.1:0',
      SERVICE_BOOTSTRAP_KEY: key,
    },
  })
  const status = (path: string) =>
    fetch(base + path).then(
      (response) => response.status,
      () => 0,
    )
  const ask = async () => {
    const response = await fetch(`${base}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hello!' }] }),
    })
    return { status: response.status, body: (await response.json()) as { object?: string } }
  }
  const ready = () => expect.poll(() => status('/readyz'), { interval: 20 }).toBe(200)
  await ready()
  return { service, ask, ready }
}

function childrenOf({ pid }: Spawned): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}

describe.runIf(process.platform === 'linux')('service start', () => {
  test('a native crash of the gateway is answered by a new one on the same data, and SIGTERM ends all of it', async () => {
    const { service, ask, ready } = await startedService()
    expect(await ask()).toMatchObject({ status: 200, body: { object: 'chat.completion' } })
    const [gateway = 0] = childrenOf(service)

    process.kill(gateway, 'SIGSEGV')
    const beganMs = performance.now()
    await expect.poll(() => isAlive(gateway), { interval: 10 }).toBe(false)
    await ready()
    const backMs = Math.round(performance.now() - beganMs)
    expect(childrenOf(service)).not.toContain(gateway)
    expect(await ask()).toMatchObject({ status: 200, body: { object: 'chat.completion' } })
    // A second and a half on an idle machine, most of it the database's. A machine whose cores others use takes many times that.
    expect(backMs).toBeLessThan(45_000)

    const [second = 0] = childrenOf(service)
    service.child.kill('SIGTERM')
    expect(await service.end).toBe(0)
    expect(isAlive(second)).toBe(false)
  })
})
