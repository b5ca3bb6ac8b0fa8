/** One run of the server: it ends with us however we end, is watched until it is ready, and stops in bounded time. */
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../../runtime/log/log.ts'
import type { Binaries } from './binaries.ts'
import { serverEnvironment } from './cluster.ts'
import { readPostmasterFile } from './postmaster-file.ts'
import { EmbeddedRefused } from './refused.ts'
import { followServerLog } from './server-log.ts'
import type { ServerUser } from './server-user.ts'

export interface ServerProcess {
  readonly pid: number
  readonly ended: Promise<Ending>
  /** Fast shutdown: connections are closed, a checkpoint is written. After a while stronger signals follow. */
  stop(): Promise<void>
}

export interface Ending {
  exitCode: number | null
  signal: NodeJS.Signals | null
}

/**
 * $@ is the server. Standard input is a pipe from us: when it closes, because we closed it or have ended (kill -9
 * included), the reader sends the server the signal for a fast shutdown. The shell ends with the server.
 */
const watchdog = `
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
{ read -r _ <&3; kill -INT "$server"; } >/dev/null 2>&1 &
reader=$!
exec 3<&- 0</dev/null
wait "$server"
code=$?
kill "$reader" 2>/dev/null
exit "$code"
`

const fastStopMs = 20_000
const hardStopMs = 5_000
const pollMs = 5
/** Recovery after a crash can take long; the log says that it goes on. */
const progressMs = 10_000

/** @throws EmbeddedRefused when the server ends instead of getting ready */
export async function runServer(options: {
  binaries: Binaries
  cluster: string
  socketFolder: string
  user: ServerUser | null
  log: Log
  onSpawned?: (() => void) | undefined
}): Promise<ServerProcess> {
  const { binaries, cluster, socketFolder, user, log, onSpawned } = options
  const before = (await readPostmasterFile(cluster))?.text
  const shell = spawn(
    '/bin/sh',
    ['-c', watchdog, 'sh', binaries.postgres, '-D', cluster, '-c', `unix_socket_directories=${socketFolder}`],
    {
      // In another process group: Ctrl-C in our terminal must not reach it, we stop it when our connections are closed.
      detached: true,
      cwd: '/',
      env: serverEnvironment,
      stdio: ['pipe', 'ignore', 'pipe'],
      ...(user && { uid: user.uid, gid: user.gid }),
    },
  )
  const ended = endOf(shell)
  onSpawned?.()
  shell.stdin.on('error', () => undefined) // it has ended: `ended` reports that
  const lastLines = followServerLog(shell.stderr, log)
  const pid = await readyPid(cluster, before, ended, log)
  if (pid === undefined) {
    throw new EmbeddedRefused(
      `the built-in database did not start: ${lastLines().join(' / ') || 'it wrote no message'}`,
    )
  }

  async function stop(): Promise<void> {
    shell.stdin.end()
    if (await endsWithin(ended, fastStopMs)) return
    log.warn({ pid }, 'the database server takes too long to stop: ending it at once')
    signal(pid ?? 0, 'SIGQUIT')
    if (await endsWithin(ended, hardStopMs)) return
    signal(pid ?? 0, 'SIGKILL')
    await ended
  }

  return { pid, ended, stop }
}

function endOf(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => reject(new EmbeddedRefused('/bin/sh could not be started', { cause })))
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
  })
}

/** @returns undefined when the server ended before it was ready */
async function readyPid(
  cluster: string,
  before: string | undefined,
  ended: Promise<Ending>,
  log: Log,
): Promise<number | undefined> {
  let isOver = false
  const over = ended.finally(() => {
    isOver = true
  })
  over.catch(() => undefined)
  let progressAt = performance.now() + progressMs
  for (;;) {
    const file = await readPostmasterFile(cluster)
    if (file?.isReady && file.text !== before) return file.pid
    if (isOver) {
      await over
      return undefined
    }
    if (performance.now() > progressAt) {
      log.warn('the built-in database is still starting: after a crash it recovers first')
      progressAt = performance.now() + progressMs
    }
    await wait(pollMs)
  }
}

async function endsWithin(ended: Promise<Ending>, limitMs: number): Promise<boolean> {
  const timer = new AbortController()
  const late = wait(limitMs, false, { signal: timer.signal }).catch(() => false)
  const result = await Promise.race([ended.then(() => true), late])
  timer.abort()
  return result
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    if (pid > 1) process.kill(pid, name)
  } catch {
    // gone: `ended` resolves
  }
}
