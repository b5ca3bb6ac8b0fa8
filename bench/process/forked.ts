/** Programs of the benchmark as child processes: started, asked over IPC, and always ended. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export interface Forked {
  readonly pid: number
  send(message: object): void
  /** The next message of this type. @throws when the process ends before it comes */
  next<Message extends { type: string }>(type: Message['type']): Promise<Message>
  onMessage(listen: (message: { type: string }) => void): () => void
  /** SIGTERM, and after `graceMs` SIGKILL. */
  stop(graceMs?: number): Promise<void>
}

export interface ForkOptions {
  arguments?: readonly string[]
  environment?: Record<string, string>
  nodeOptions?: readonly string[]
}

/** How much of a process's error output is stored, for the message when it dies. */
const outputBytesMax = 8_192

const living = new Set<ChildProcess>()
let isLeaving = false
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL')
})

/** How long programs may take to stop; the service drains and stops its database. */
const leaveMs = 15_000

/**
 * From here on SIGINT and SIGTERM end the programs before this process. Their channel is closed; no signal is sent, because
 * a terminal has sent them one already, and a second one makes the service stop at once.
 */
export function endProgramsOnSignal(): void {
  const leave = (code: number) => {
    if (isLeaving) process.exit(code)
    isLeaving = true
    process.stderr.write('stopping\n')
    const ends = [...living].map((child) => once(child, 'exit'))
    for (const child of living) if (child.connected) child.disconnect()
    setTimeout(() => process.exit(code), leaveMs)
    Promise.all(ends).then(() => process.exit(code))
  }
  process.on('SIGINT', () => leave(130))
  process.on('SIGTERM', () => leave(143))
}

/** Without the settings of a service that somebody runs from the same shell: its database is not for the benchmark. */
export function environmentFor(
  given: Readonly<Record<string, string | undefined>>,
  wanted: Readonly<Record<string, string>> = {},
): Record<string, string | undefined> {
  const inherited = Object.entries(given).filter(([name]) => !name.startsWith('SERVICE_'))
  return { ...Object.fromEntries(inherited), NODE_ENV: 'production', ...wanted }
}

export function forkProgram(file: URL, options: ForkOptions = {}): Forked {
  if (isLeaving) throw new Error('told to stop')
  const child = fork(fileURLToPath(file), options.arguments ?? [], {
    env: environmentFor(process.env, options.environment),
    execArgv: [...(options.nodeOptions ?? [])],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const { pid } = child
  if (pid === undefined) throw new Error(`${file} did not start`)
  living.add(child)
  let outputText = ''
  for (const output of [child.stdout, child.stderr]) {
    output?.on('data', (bytes: Buffer) => {
      outputText = (outputText + bytes.toString('utf8')).slice(-outputBytesMax)
    })
  }
  const exited = once(child, 'exit').then(() => {
    living.delete(child)
  })

  return {
    pid,
    send: (message) => void child.send(message),
    next: <Message extends { type: string }>(type: Message['type']) =>
      new Promise<Message>((resolve, reject) => {
        const settle = () => {
          child.off('message', onMessage)
          child.off('exit', onExit)
        }
        const onMessage = (message: unknown) => {
          if (typeOf(message) !== type) return
          settle()
          resolve(message as Message)
        }
        const onExit = () => {
          settle()
          reject(new Error(`${fileURLToPath(file)} ended before it said ${type}:\n${outputText}`))
        }
        child.on('message', onMessage)
        child.on('exit', onExit)
        if (child.exitCode !== null || child.signalCode !== null) onExit()
      }),
    onMessage(listen) {
      const onMessage = (message: unknown) => listen(message as { type: string })
      child.on('message', onMessage)
      return () => child.off('message', onMessage)
    },
    async stop(graceMs = 10_000) {
      if (child.exitCode !== null || child.signalCode !== null) return
      if (!isLeaving) child.kill('SIGTERM')
      const insist = setTimeout(() => child.kill('SIGKILL'), graceMs)
      await exited
      clearTimeout(insist)
    },
  }
}

function typeOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null ? (message as { type?: unknown }).type : undefined
}
