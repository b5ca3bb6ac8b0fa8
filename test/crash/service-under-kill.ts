/** The service in a process of its own, with its built-in database, to be killed without warning and started again. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../cli/service.ts', import.meta.url))

const readyMsMax = 30_000

export interface ServiceUnderKill {
  url: string
  start(): Promise<void>
  /** kill -9 of the service; its database has to notice by itself. */
  kill(): Promise<void>
  /** kill -9 of PostgreSQL's first process. */
  killDatabase(): Promise<void>
  isReady(): Promise<boolean>
  ready(): Promise<void>
  /** An orderly end. */
  stop(): Promise<void>
}

export function serviceUnderKill(options: {
  dataDir: string
  port: number
  environment: Record<string, string>
}): ServiceUnderKill {
  const { dataDir, port } = options
  const url = `http://127.0.0.1:${port}`
  const log = createWriteStream(join(dataDir, 'service.log'), { flags: 'a' })
  let child: ChildProcess | undefined

  async function isReady(): Promise<boolean> {
    try {
      return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) })).ok
    } catch {
      return false
    }
  }

  async function ready(): Promise<void> {
    const giveUpAt = performance.now() + readyMsMax
    while (!(await isReady())) {
      if (child?.exitCode !== null && child?.exitCode !== undefined)
        throw new Error(`the service ended with ${child.exitCode}; see ${dataDir}/service.log`)
      if (performance.now() > giveUpAt) throw new Error(`the service is not ready; see ${dataDir}/service.log`)
      await wait(25)
    }
  }

  return {
    url,
    isReady,
    ready,
    async start() {
      child = spawn(process.execPath, [program, 'start', '--no-supervise'], {
        env: {
          PATH: process.env['PATH'] ?? '',
          SERVICE_DATA_DIR: join(dataDir, 'data'),
          SERVICE_GATEWAY_ADDR: `127.0.0.1:${port}`,
          SERVICE_WEBUI_ADDR: '127.0.0.1:0',
          SERVICE_OUTGOING_ALLOWLIST: '127.0.0.0/8',
          ...options.environment,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      child.stdout?.pipe(log, { end: false })
      child.stderr?.pipe(log, { end: false })
      await ready()
    },
    async kill() {
      if (!child || child.exitCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
    async killDatabase() {
      const file = join(dataDir, 'data/postgres/cluster/postmaster.pid')
      const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0])
      // The file may be that of one that was killed before.
      if (pid > 1 && isAlive(pid)) process.kill(pid, 'SIGKILL')
    },
    async stop() {
      if (!child || child.exitCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      log.end()
    },
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
