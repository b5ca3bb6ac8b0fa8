/** The gateway as a process: signals, defects, watchdog, the word to its parent, and its end with the right exit code. */
import { constants } from 'node:os'
import type { Log } from '../log/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { seconds } from '../time/duration.ts'
import { surviveDefects } from './defects.ts'
import { exitCode, exitCodeOf, exitCodeOfSignal } from './exit-code.ts'
import { type FromGateway, typeOf } from './messages.ts'
import { onStopSignals } from './signals.ts'
import { startWatchdog } from './watchdog.ts'

export interface Running {
  /** The drain. It bounds itself; `stopMs` is only the last resort. */
  stop(): Promise<void>
  /** Figures for whoever asks over IPC. */
  stats?(): Record<string, unknown>
}

export interface GatewayProcessOptions {
  log: Log
  /** Resolves when every line of the log is out: an orderly end waits for it. */
  written?(): Promise<void>
  /** @param signal aborts when the process is told to stop before it has started */
  start(signal: AbortSignal): Promise<Running>
  /** Past this the drain is given up and the process ends. Default 60 s. */
  stopMs?: () => number
  metrics?: Metrics
  /** 0: none. Default 10 s. */
  watchdogMs?: number
}

/** Runs until it is told to stop and then ends the process. Under no parent it does the same, without the words to it. */
export async function runGatewayProcess(options: GatewayProcessOptions): Promise<void> {
  const { log, written, start, metrics, stopMs = () => seconds(60), watchdogMs } = options
  const halt = new AbortController()
  let starting: Promise<Running> | undefined
  let isStopping = false

  async function stop(reason: string, code: number): Promise<void> {
    if (isStopping) return
    isStopping = true
    const withinMs = stopMs()
    log.info({ reason }, 'stopping')
    tell({ type: 'draining', withinMs })
    setTimeout(() => {
      log.error({ withinMs }, 'the drain did not end in time: leaving')
      process.exit(exitCode.failed)
    }, withinMs).unref()
    halt.abort(new Error(`told to stop: ${reason}`))
    try {
      const running = await starting?.catch(() => undefined) // a failed start has nothing to drain
      await running?.stop()
      log.info('stopped')
      await written?.()
      process.exit(code)
    } catch (error) {
      log.error({ err: error }, 'the drain failed')
      process.exit(exitCode.failed)
    }
  }

  surviveDefects({ log, ...(metrics && { metrics }), onTooMany: () => void stop('defects', exitCode.defects) })
  onStopSignals({
    onStop: (signal) => void stop(signal, exitCode.ok),
    onInsist: (signal) => {
      log.warn({ signal }, 'told again to stop: leaving without the rest of the drain')
      process.exit(exitCodeOfSignal(signal, constants.signals))
    },
  })
  if (watchdogMs !== 0) startWatchdog(watchdogMs)
  if (process.send) {
    // The parent was killed: nobody would stop or restart us.
    process.on('disconnect', () => void stop('parent gone', exitCode.ok))
    process.on('message', (message) => void answer(message))
  }

  async function answer(message: unknown): Promise<void> {
    if (typeOf(message) !== 'stats') return
    const running = await starting
    tell({ ...running?.stats?.(), type: 'stats' })
  }

  try {
    starting = start(halt.signal)
    await starting
  } catch (error) {
    if (isStopping) return // `stop` ends the process
    log.fatal({ err: error }, 'the gateway did not start')
    process.exit(exitCodeOf(error))
  }
  tell({ type: 'ready' })
}

function tell(message: FromGateway): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}
