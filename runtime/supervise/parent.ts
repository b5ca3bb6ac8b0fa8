/**
 * The parent of the gateway: restarts it after a crash. It loads no native addon and none of our rooms that do, so that
 * what can take the gateway down cannot take this process down.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { constants } from 'node:os'
import { systemRandom } from '../random.ts'
import { exponential } from '../time/backoff.ts'
import { minutes, ms, seconds } from '../time/duration.ts'
import { exitCode, exitCodeOfSignal } from './exit-code.ts'
import { typeOf } from './messages.ts'
import { gatewayNodeOptions } from './node-options.ts'

export interface ParentOptions {
  /** The gateway's entry file. */
  entry: URL
  args?: readonly string[]
  say: (level: 'info' | 'warn' | 'error', message: string, fields?: Record<string, unknown>) => void
}

const backoff = exponential(ms(100), seconds(5))
/** A gateway that lived this long starts over at the shortest delay. */
const stableMs = minutes(1)
/** Told to stop, a gateway that says nothing of a drain is ended after this. Its own watchdog is earlier. */
const silentStopMs = seconds(60)
/** Beyond what the gateway says its drain takes. */
const stopSlackMs = seconds(5)

/** Resolves with the exit code for this process, when the gateway has ended for good. */
export function superviseGateway({ entry, args = [], say }: ParentOptions): Promise<number> {
  return new Promise((resolve) => {
    let child: ChildProcess | undefined
    let attempt = 0
    let wasEverReady = false
    let isStopping = false
    let waiting: NodeJS.Timeout | undefined
    let killing: NodeJS.Timeout | undefined

    function begin(): void {
      const bornMs = performance.now()
      const gateway = fork(entry, args, {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        execArgv: [...process.execArgv, ...gatewayNodeOptions],
      })
      child = gateway
      gateway.on('message', (message) => {
        const type = typeOf(message)
        if (type === 'ready') wasEverReady = true
        if (type === 'draining') endAfter(Number((message as { withinMs?: unknown }).withinMs) + stopSlackMs)
      })
      gateway.once('error', (error) => {
        if (gateway.pid !== undefined) return say('warn', 'a word to the gateway was lost', { reason: error.message })
        say('error', 'the gateway could not be started', { reason: error.message })
        ended(exitCode.failed, null, bornMs)
      })
      gateway.once('exit', (code, signal) => ended(code, signal, bornMs))
    }

    function ended(code: number | null, signal: NodeJS.Signals | null, bornMs: number): void {
      child = undefined
      clearTimeout(killing)
      killing = undefined
      const livedMs = Math.round(performance.now() - bornMs)
      const status = code ?? exitCodeOfSignal(signal ?? 'SIGKILL', constants.signals)
      // A start that failed by itself fails again; what ended by a signal crashed.
      const isFinal = isStopping || code === exitCode.ok || code === exitCode.configuration
      if (isFinal || (!wasEverReady && signal === null)) {
        leave(status)
        return
      }
      attempt = livedMs >= stableMs ? 1 : attempt + 1
      const delayMs = backoff.delayMs(attempt, systemRandom)
      say('error', 'the gateway ended and is started again', { code, signal, livedMs, delayMs })
      waiting = setTimeout(begin, delayMs)
    }

    function passOn(signal: NodeJS.Signals): void {
      isStopping = true
      if (!child) {
        leave(exitCode.ok)
        return
      }
      child.kill(signal)
      if (!killing) endAfter(silentStopMs)
    }

    function endAfter(limitMs: number): void {
      clearTimeout(killing)
      killing = setTimeout(() => {
        say('error', 'the gateway did not stop in time and is killed', { limitMs })
        child?.kill('SIGKILL')
      }, limitMs)
    }

    function leave(status: number): void {
      clearTimeout(waiting)
      for (const signal of signals) process.off(signal, passOn)
      resolve(status)
    }

    const signals = ['SIGTERM', 'SIGINT'] as const
    for (const signal of signals) process.on(signal, passOn)
    // Whoever started us over a channel was killed: without this, nobody could stop the service any more.
    if (process.send) process.once('disconnect', () => passOn('SIGTERM'))
    begin()
  })
}
