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
    start,
    async look() {
      const answers = await isOk(`http://127.0.0.1:${port}/readyz`)
      isReady = child !== undefined && answers
    },
    async end(signal) {
      if (!child) return
      const ended = once(child, 'close')
      child.kill(signal)
      await ended
    },
  }
}

async function isOk(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(answerMsMax) })
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    return false
  }
}
