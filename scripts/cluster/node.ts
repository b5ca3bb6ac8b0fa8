/** One gateway of the cluster, a process of its own that may be ended and started again. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { packageFolder } from '../../runtime/package.ts'

export interface ClusterNode {
  readonly name: string
  readonly port: number
  readonly uiPort: number
  /** Undefined: it does not run. */
  readonly pid: number | undefined
  /** Answers `/readyz` with 200. */
  readonly isReady: boolean
  /** Its number in the service, of this start; undefined before it is ready. */
  readonly number: number | undefined
  /** Once it has ended it may be started again. */
  start(): void
  /** Asks now, and so often as the cluster wants to know. */
  look(): Promise<void>
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

export interface ClusterNodeOptions {
  name: string
  port: number
  uiPort: number
  webhookPort: number
  /** Its log goes there. */
  folder: string
  environment: Record<string, string | undefined>
  /** Lines that are not of the log: keys and codes, which are shown once. */
  onText(line: string): void
  onEnd(how: string): void
}

const program = join(packageFolder, 'cli', 'service.ts')
const answerMsMax = 1_000

export function clusterNode(options: ClusterNodeOptions): ClusterNode {
  const { name, port, uiPort, webhookPort, folder, environment, onText, onEnd } = options
  let child: ChildProcess | undefined
  let isReady = false
  let number: number | undefined

  function start(): void {
    if (child) return
    const log = createWriteStream(join(folder, `${name}.log`), { flags: 'a' })
    const started = spawn(process.execPath, [program, 'start', '--no-supervise'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Ctrl-C is for the script, which ends its nodes in order.
      detached: true,
      env: {
        ...environment,
        SERVICE_GATEWAY_ADDR: `127.0.0.1:${port}`,
        SERVICE_WEBUI_ADDR: `127.0.0.1:${uiPort}`,
        SERVICE_CHATAPP_CONNECTOR_PORT: String(webhookPort),
      },
    })
    child = started
    started.stderr.pipe(log, { end: false })
    createInterface(started.stdout).on('line', (line) => {
      log.write(`${line}\n`)
      if (!line.startsWith('{')) onText(line)
    })
    started.on('error', (error) => onText(`${name}: ${error.message}`))
    started.on('close', (code, signal) => {
      child = undefined
      isReady = false
      number = undefined
      log.end()
      onEnd(signal ?? `exit code ${code}`)
    })
  }

  return {
    name,
    port,
    uiPort,
    get pid() {
      return child?.pid
    },
    get isReady() {
      return isReady
    },
    get number() {
      return number
    },
    start,
    async look() {
      const asked = child
      const ready = await readyNode(`http://127.0.0.1:${port}/readyz`)
      isReady = ready !== undefined && child === asked && child !== undefined
      if (isReady) number = ready
    },
    async end(signal) {
      if (!child) return
      const ended = once(child, 'close')
      child.kill(signal)
      await ended
    },
  }
}

/** Its number; undefined: it is not ready. */
async function readyNode(url: string): Promise<number | undefined> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(answerMsMax) })
    const { node } = (await answer.json()) as { node: number }
    return answer.ok ? node : undefined
  } catch {
    return undefined
  }
}
