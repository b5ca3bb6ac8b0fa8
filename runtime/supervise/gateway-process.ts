/** The gateway as a process: signals, defects, watchdog, messages to its parent, and its exit code. */
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
  /** The number of this start, for whoever takes its place. */
  node?: number
  /** The drain. It has its own time limits; `stopMs` is the last resort. */
  stop(): Promise<void>
  /** Figures that are sent on request over IPC. */
  stats?(): Record<string, unknown>
}

export interface GatewayProcessOptions {
  log: Log
  /** Resolves when every log line is written: an orderly end waits for it. */
  written?(): Promise<void>
  /** @param signal aborts when the process has to stop before it has started */
  start(signal: AbortSignal): Promise<Running>
  /** The lines that the log gets of a failed start, as fields. Default: one with the error and its stack. */
  problemsOf?(error: unknown): Record<string, unknown>[]
  /** After this the process ends without the rest of the drain. Default 60 s. */
  stopMs?: () => number
  metrics?: Metrics
  /** 0: none. Default 10 s. */
  watchdogMs?: number
}

/** Runs the gateway until a signal stops it, then ends the process. Without a parent it sends no messages. */
export async function runGatewayProcess(options: GatewayProcessOptions): Promise<void> {
  const { log, written, start, problemsOf, metrics, stopMs = () => seconds(60), watchdogMs } = options
  const halt = new AbortController()
  let starting: Promise<Running> | undefined
  let isStopping = false

  async function stop(reason: string, code: number): Promise<void> {
    if (isStopping) return
    isStopping = true
    const withinMs = stopMs()
    log.info({ reason }, 'stopping')
    send({ type: 'draining', withinMs })
    setTimeout(() => {
      log.error({ withinMs }, 'the drain did not end in time: the process ends')
      process.exit(exitCode.failed)
    }, withinMs).unref()
    halt.abort(new Error(`stopped: ${reason}`))
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
      log.warn({ signal }, 'a second signal to stop: the process ends without the rest of the drain')
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
    send({ ...running?.stats?.(), type: 'stats' })
  }

  try {
    starting = start(halt.signal)
    const { node } = await starting
    send({ type: 'ready', ...(node !== undefined && { node }) })
  } catch (error) {
    if (isStopping) return // `stop` ends the process
    for (const fields of problemsOf?.(error) ?? [{ err: error }]) log.fatal(fields, 'the gateway did not start')
    process.exit(exitCodeOf(error))
  }
}

function send(message: FromGateway): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}
