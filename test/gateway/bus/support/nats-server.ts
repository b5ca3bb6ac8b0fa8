/** A real nats-server on a port of its own, which a test ends and starts again. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { createConnection } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../../../bench/process/free-port.ts'

/** Debian's package is not in the path of ordinary users. */
const program = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/usr/local/bin']
  .map((folder) => `${folder}/nats-server`)
  .find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })

/** On a developer's machine without it these tests are skipped. */
export const isNatsMissing = program === undefined && process.env['SERVICE_TEST_NATS'] !== 'required'

const startMsMax = 20_000

export interface NatsServer {
  readonly url: string
  readonly port: number
  start(): Promise<void>
  /** As by a crash. */
  kill(): Promise<void>
  pause(): void
  resume(): void
  /** Reads its configuration again. */
  reload(): void
}

export async function natsServer(args: string[] = []): Promise<NatsServer> {
  const port = await freePort()
  let child: ChildProcess | undefined

  async function start(): Promise<void> {
    if (program === undefined) throw new Error('nats-server is not installed')
    const started = spawn(program, ['--addr', '127.0.0.1', '--port', String(port), ...args], { stdio: 'ignore' })
    child = started
    const endWithUs = () => started.kill('SIGKILL')
    process.once('exit', endWithUs)
    started.once('exit', () => process.off('exit', endWithUs))
    const giveUpAt = performance.now() + startMsMax
    while (!(await answers(port))) {
      if (performance.now() > giveUpAt) throw new Error('nats-server does not answer')
      await wait(20)
    }
  }
  await start()

  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    start,
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const end = once(child, 'close')
      child.kill('SIGKILL')
      await end
    },
    pause: () => child?.kill('SIGSTOP'),
    resume: () => child?.kill('SIGCONT'),
    reload: () => child?.kill('SIGHUP'),
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port })
    socket.on('data', () => {
      resolve(true)
      socket.destroy()
    })
    socket.on('error', () => resolve(false))
  })
}
