/**
 * The parent of the gateway: restarts it after a crash. It may have several processes, which share its ports. It loads no
 * native addon and no room that loads one, so that a native crash ends the gateway only.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { constants } from 'node:os'
import { systemRandom } from '../random.ts'
import { exponential } from '../time/backoff.ts'
import { ms, seconds } from '../time/duration.ts'
import { exitCode, exitCodeOfSignal } from './exit-code.ts'
import { placeArgument, replacesArgument, restartedArgument, typeOf } from './messages.ts'
import { gatewayNodeOptions } from './node-options.ts'

export interface ParentOptions {
  /** The gateway's entry file. */
  entry: URL
  args?: readonly string[]
  log: (level: 'info' | 'warn' | 'error', message: string, fields?: Record<string, unknown>) => void
  /** Default 1. The others start once the first is ready. */
  processes?: number
  /**
   * A gateway that was ready for this long is started again without a delay: clients wait. One that ends earlier, or never
   * gets ready, crashes by itself and waits ever longer. So there is at most one start in this time. Default 1 s.
   */
  steadyMs?: number
}

const backoff = exponential(ms(100), seconds(5))
/** A gateway that was signalled to stop and reports no drain is killed after this. Its own watchdog is faster. */
const silentStopMs = seconds(60)
/** Added to the time that the gateway reports for its drain. */
const stopSlackMs = seconds(5)
const signals = ['SIGTERM', 'SIGINT'] as const

/** Resolves with the exit code for this process, when every gateway has ended and none is started again. */
export async function superviseGateway(options: ParentOptions): Promise<number> {
  const { processes: of = 1 } = options
  const kept: Kept[] = []
  let isStopping = false
  let status: number = exitCode.ok

  function stop(signal: NodeJS.Signals): void {
    isStopping = true
    for (const gateway of kept) gateway.stop(signal)
  }

  function keep(number: number): Kept {
    const gateway = keepGateway(of === 1 ? options : oneOfSeveral(options, number, of))
    kept.push(gateway)
    void gateway.ended.then((code) => {
      if (code === exitCode.ok) return
      // What ends one for good would end the others at their next start: all go together.
      if (!isStopping) status = code
      stop('SIGTERM')
    })
    return gateway
  }

  for (const signal of signals) process.on(signal, stop)
  // The process that started us was killed: without this, nobody could stop the service any more.
  if (process.send) process.once('disconnect', () => stop('SIGTERM'))
  const first = keep(1)
  await Promise.race([first.ready, first.ended])
  for (let number = 2; number <= of && !isStopping; number++) keep(number)
  const codes = await Promise.all(kept.map(({ ended }) => ended))
  for (const signal of signals) process.off(signal, stop)
  return status === exitCode.ok ? Math.max(...codes) : status
}

interface Kept {
  /** Ready for the first time. */
  readonly ready: Promise<void>
  /** The exit code of the gateway that is not started again. */
  readonly ended: Promise<number>
  stop(signal: NodeJS.Signals): void
}

function oneOfSeveral(options: ParentOptions, number: number, of: number): ParentOptions {
  const { args = [], log } = options
  return {
    ...options,
    args: [...args, placeArgument(number, of)],
    log: (level, message, fields) => log(level, message, { process: number, ...fields }),
  }
}

interface Life {
  startedMs: number
  readyMs: number | undefined
}

/** One gateway, started again whenever it crashes. */
function keepGateway(options: ParentOptions): Kept {
  const { entry, args = [], log, steadyMs = seconds(1) } = options
  const { promise: ready, resolve: isReady } = Promise.withResolvers<void>()
  const { promise: hasEnded, resolve: finished } = Promise.withResolvers<number>()
  let child: ChildProcess | undefined
  /** Starts since the last that was ready for a while. */
  let attempt = 0
  let isRestart = false
  /** Of the gateway that was ready last. */
  let node: number | undefined
  let wasEverReady = false
  let isStopping = false
  let waiting: NodeJS.Timeout | undefined
  let killing: NodeJS.Timeout | undefined

  function begin(): void {
    const startedMs = performance.now()
    let readyMs: number | undefined
    const replaced = node === undefined ? [] : [replacesArgument(node)]
    const gateway = fork(entry, isRestart ? [...args, restartedArgument, ...replaced] : args, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv: [...gatewayNodeOptions(options.processes), ...process.execArgv],
    })
    child = gateway
    gateway.on('message', (message) => {
      const type = typeOf(message)
      if (type === 'ready') {
        wasEverReady = true
        readyMs = performance.now()
        node = (message as { node?: number }).node
        isReady()
      }
      if (type === 'draining') endAfter(Number((message as { withinMs?: unknown }).withinMs) + stopSlackMs)
    })
    gateway.once('error', (error) => {
      if (gateway.pid !== undefined) return log('warn', 'a message to the gateway was lost', { reason: error.message })
      log('error', 'the gateway could not be started', { reason: error.message })
      ended(exitCode.failed, null, { startedMs, readyMs })
    })
    gateway.once('exit', (code, signal) => ended(code, signal, { startedMs, readyMs }))
  }

  function ended(code: number | null, signal: NodeJS.Signals | null, { startedMs, readyMs }: Life): void {
    child = undefined
    clearTimeout(killing)
    killing = undefined
    const livedMs = Math.round(performance.now() - startedMs)
    const status = code ?? exitCodeOfSignal(signal ?? 'SIGKILL', constants.signals)
    // A first start that exits would fail again; one that a signal ended has crashed.
    const isFinal = isStopping || code === exitCode.ok || code === exitCode.configuration
    if (isFinal || (!wasEverReady && signal === null)) {
      finished(status)
      return
    }
    isRestart = true
    attempt = readyMs !== undefined && performance.now() - readyMs >= steadyMs ? 0 : attempt + 1
    const delayMs = attempt === 0 ? 0 : backoff.delayMs(attempt, systemRandom)
    log('error', 'the gateway ended and will be started again', { code, signal, livedMs, delayMs })
    waiting = setTimeout(begin, delayMs)
  }

  function endAfter(limitMs: number): void {
    clearTimeout(killing)
    killing = setTimeout(() => {
      log('error', 'the gateway did not stop in time: killed', { limitMs })
      child?.kill('SIGKILL')
    }, limitMs)
  }

  begin()
  return {
    ready,
    ended: hasEnded,
    stop(signal) {
      isStopping = true
      clearTimeout(waiting)
      if (!child) {
        finished(exitCode.ok)
        return
      }
      child.kill(signal)
      if (!killing) endAfter(silentStopMs)
    },
  }
}
