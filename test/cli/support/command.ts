/** The `service` command as an operator types it, on a database and a data folder of the test's own. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { freshAddress } from '../../support/database.ts'
import { testKey, urlOf } from '../../support/gateway.ts'
import { endSpawned, freePort, spawnNode } from '../../support/spawned.ts'

const bin = fileURLToPath(new URL('../../../bin/service.js', import.meta.url))

export interface Said {
  code: number | NodeJS.Signals
  text: string
}

export interface Operator {
  readonly dataDir: string
  readonly url: string
  readonly environment: Record<string, string>
  /** Runs `service` with these words, and reads what it says. */
  service(...words: string[]): Promise<Said>
  /** Starts the service, and resolves when it is ready. */
  start(): Promise<void>
  stop(): Promise<void>
  chat(key?: string): Promise<Response>
}

export async function operator(more: Record<string, string> = {}): Promise<Operator> {
  const { address, drop } = await freshAddress()
  const folder = await mkdtemp(join(tmpdir(), 'service-cli-'))
  await chmod(folder, 0o755)
  const dataDir = join(folder, 'data')
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const environment = {
    SERVICE_DATA_DIR: dataDir,
    SERVICE_DATABASE_URL: urlOf(address),
    SERVICE_GATEWAY_ADDR: `127.0.0.1:${port}`,
    SERVICE_BOOTSTRAP_KEY: testKey,
    ...more,
  }
  onTestFinished(async () => {
    await endSpawned()
    await drop()
    await rm(folder, { recursive: true, force: true })
  })
  const run = (words: string[]) => spawnNode(bin, words, { environment })
  let running: ReturnType<typeof run> | undefined

  return {
    dataDir,
    url,
    environment,
    async service(...words) {
      const { lines, end } = run(words)
      const code = await end
      return { code, text: lines.map((line) => line.msg ?? JSON.stringify(line)).join('\n') }
    },
    async start() {
      running = run(['start', '--no-supervise'])
      const ready = () =>
        fetch(`${url}/readyz`).then(
          ({ status }) => status,
          () => 0,
        )
      await expect.poll(ready, { timeout: 30_000, interval: 20 }).toBe(200)
    },
    async stop() {
      running?.child.kill('SIGTERM')
      expect(await running?.end).toBe(0)
    },
    chat: (key = testKey) =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] }),
      }),
  }
}
