/** What the crash test strikes: one process of the service with its database, or several on one. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../runtime/random.ts'
import type { Database } from '../../store/database.ts'
import { builtService } from '../support/built-service.ts'

export interface UnderKill {
  /** Where the next request goes. */
  url(): string
  /** Whether what answers there was killed in this time, which breaks its connections. */
  wasKilled(url: string, fromMs: number, toMs: number): boolean
  start(): Promise<void>
  /** One fault, and back. @returns what it was */
  strike(): Promise<string>
  openDatabase(): Promise<Database>
  /** An orderly end. */
  stop(): Promise<void>
  /** Whatever still runs. */
  kill(): Promise<void>
}

export interface Place {
  /** For all files. */
  folder: string
  environment: Record<string, string>
  /** What happens is by the seed alone, however the load goes. */
  faultsRandom: Random
  loadRandom: Random
}

const readyMsMax = 180_000
/** Its clients may see its end a moment before we do. */
const noticeMs = 1_000

/** One process, which is started again on the same port. Its log is `<name>.log` in the folder. */
export class ServiceProcess {
  readonly url: string
  readonly #log: WriteStream
  readonly #environment: Record<string, string>
  readonly #logFile: string
  readonly #killedAtMs: number[] = []
  readonly #program: string
  #child: ChildProcess | undefined

  /** @param options.program the command of another checkout */
  constructor(options: {
    folder: string
    name?: string
    port: number
    environment: Record<string, string>
    program?: string
  }) {
    const { folder, name = 'service', port, environment, program = builtService() } = options
    this.#program = program
    this.url = `http://127.0.0.1:${port}`
    this.#logFile = join(folder, `${name}.log`)
    this.#log = createWriteStream(this.#logFile, { flags: 'a' })
    this.#environment = {
      PATH: process.env['PATH'] ?? '',
      SERVICE_DATA_DIR: join(folder, 'data'),
      SERVICE_GATEWAY_ADDR: `127.0.0.1:${port}`,
      SERVICE_WEBUI_ADDR: '127.0.0.1:0',
      SERVICE_OUTGOING_ALLOWLIST: '127.0.0.0/8',
      ...environment,
    }
  }

  wasKilled(fromMs: number, toMs: number): boolean {
    return this.#killedAtMs.some((atMs) => atMs >= fromMs && atMs <= toMs + noticeMs)
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
  }

  async start(): Promise<void> {
    this.#spawn()
    await this.ready()
  }

  #spawn(): void {
    const child = spawn(process.execPath, [this.#program, 'start', '--no-supervise'], {
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    // Whatever ends the test, nothing of it stays.
    const endWithUs = () => child.kill('SIGKILL')
    process.once('exit', endWithUs)
    child.once('exit', (_code, signal) => {
      process.off('exit', endWithUs)
      if (signal) this.#killedAtMs.push(performance.now())
    })
    child.stdout.pipe(this.#log, { end: false })
    child.stderr.pipe(this.#log, { end: false })
  }

  async ready(): Promise<void> {
    const giveUpAt = performance.now() + readyMsMax
    while (!(await this.isReady())) {
      // Its own watchdog, where the machine let it stand for too long: its parent would start it again.
      if (this.#child?.signalCode === 'SIGKILL') this.#spawn()
      else if (!this.isRunning) throw new Error(`the service ended with ${this.#child?.exitCode}; see ${this.#logFile}`)
      if (performance.now() > giveUpAt) throw new Error(`the service is not ready; see ${this.#logFile}`)
      await wait(25)
    }
  }

  async isReady(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(2_000) })).ok
    } catch {
      return false
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal)
  }

  /** kill -9. */
  async kill(): Promise<void> {
    this.#killedAtMs.push(performance.now())
    await this.#end('SIGKILL')
  }

  /** In good order; it may be started again. */
  async end(): Promise<void> {
    await this.#end('SIGTERM')
  }

  async stop(): Promise<void> {
    await this.end()
    this.#log.end()
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (!this.#child || !this.isRunning) return
    const ended = once(this.#child, 'exit')
    this.#child.kill(signal)
    await ended
  }
}
