/** The `service` command as an operator types it, on a database and a data folder of the test's own. */
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { freePort } from '../../../bench/process/free-port.ts'
import type { DatabaseAddress } from '../../../store/postgres/address.ts'
import { builtService } from '../../support/built-service.ts'
import { freshAddress } from '../../support/database.ts'
import { testKey, urlOf } from '../../support/gateway.ts'
import { endSpawned, type Spawned, spawnNode } from '../../support/spawned.ts'

const bin = builtService()

export interface Said {
  code: number | NodeJS.Signals
  text: string
}

export interface Operator {
  readonly dataDir: string
  readonly url: string
  readonly database: DatabaseAddress
  /** Runs `service` with these words, and reads what it says. */
  service(...words: string[]): Promise<Said>
  /** The same, with `input` on its standard input. */
  serviceHearing(input: string, ...words: string[]): Promise<Said>
  /** Begins `service start`, and does not wait for it. */
  begin(): Spawned
  /** Starts the service, and resolves when it is ready. */
  start(): Promise<Spawned>
  stop(): Promise<void>
  chat(key?: string): Promise<Response>
}

/**
 * @param more over the environment that the command gets; a blank SERVICE_DATABASE_URL is the built-in database
 * @param options isEmpty: a database without a schema; isSupervised: the service has its parent process
 */
export async function operator(
  more: Record<string, string> = {},
  options: { isEmpty?: boolean; isSupervised?: boolean } = {},
): Promise<Operator> {
  const { address, drop } = await freshAddress(options)
  const folder = await mkdtemp(join(tmpdir(), 'service-cli-'))
  await chmod(folder, 0o755) // the built-in database may run as another user, who has to get through here
  const dataDir = join(folder, 'data')
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const environment = {
    SERVICE_DATA_DIR: dataDir,
    SERVICE_DATABASE_URL: urlOf(address),
    SERVICE_GATEWAY_ADDR: `127.0.0.1:${port}`,
    SERVICE_WEBUI_ADDR: '127.0.0.1:0',
    SERVICE_BOOTSTRAP_KEY: testKey,
    ...more,
  }
  let running: Spawned | undefined
  onTestFinished(async () => {
    // A killed service leaves a built-in database behind, which would outlive its folder.
    if (environment.SERVICE_DATABASE_URL === '') await stop()
    await endSpawned()
    await drop()
    await rm(folder, { recursive: true, force: true })
  })

  async function heard({ lines, end }: Spawned): Promise<Said> {
    const code = await end
    return { code, text: lines.map((line) => line.msg ?? JSON.stringify(line)).join('\n') }
  }

  function begin(): Spawned {
    running = spawnNode(bin, options.isSupervised ? ['start'] : ['start', '--no-supervise'], { environment })
    return running
  }

  async function stop(): Promise<void> {
    const stopping = running
    running = undefined
    stopping?.child.kill('SIGTERM')
    if (stopping) expect(await stopping.end).toBe(0)
  }

  return {
    dataDir,
    url,
    database: address,
    service: (...words) => heard(spawnNode(bin, words, { environment })),
    serviceHearing: (input, ...words) =>
      new Promise((resolve) => {
        const env = { ...process.env, NODE_OPTIONS: '', ...environment }
        const child = execFile(process.execPath, [bin, ...words], { env }, (error, stdout, stderr) =>
          resolve({ code: Number(error?.code ?? 0), text: `${stdout}${stderr}`.trimEnd() }),
        )
        child.stdin?.end(input)
      }),
    begin,
    async start() {
      const started = begin()
      const ready = () =>
        fetch(`${url}/readyz`).then(
          ({ status }) => status,
          () => 0,
        )
      await expect.poll(ready, { interval: 20 }).toBe(200)
      return started
    },
    stop,
    chat: (key = testKey) =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] }),
      }),
  }
}
