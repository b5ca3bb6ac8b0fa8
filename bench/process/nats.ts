/** A nats-server of the benchmark's own, as Debian packages it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { freePort } from './free-port.ts'
import { until } from './until.ts'

export interface NatsProcess {
  readonly pid: number
  readonly url: string
  stop(): Promise<void>
}

const program = 'nats-server'

/** @throws where it is not installed */
export async function startNats(): Promise<NatsProcess> {
  const port = await freePort()
  const child = spawn(program, ['--addr', '127.0.0.1', '--port', String(port)], {
    stdio: 'ignore',
    // Debian's package is not in the path of ordinary users.
    env: { PATH: `${process.env['PATH']}:/usr/sbin` },
  })
  const failed = once(child, 'error').then(([error]) => {
    throw new Error(`nats-server is needed for this: ${error.message}`)
  })
  const endWithUs = () => child.kill('SIGKILL')
  process.on('exit', endWithUs)
  await Promise.race([failed, until('nats-server answers', 10_000, () => takesConnections(port))])
  failed.catch(() => {})
  return {
    pid: child.pid ?? 0,
    url: `nats://127.0.0.1:${port}`,
    async stop() {
      process.off('exit', endWithUs)
      // Ctrl-C reaches it too.
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port })
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
