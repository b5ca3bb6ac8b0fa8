/** Ends a stream whose endpoint sends nothing for too long. Checks now and then whether bytes came, which costs a chunk nothing. */
import type { Clock, Timer } from '../../runtime/time/clock.ts'
import type { Exchange } from './exchange.ts'
import { streamSilent } from './failures.ts'

/** Reasoning models think for minutes before their first word. */
const silenceMsMax = 300_000
const checks = 4

/** @returns stops watching */
export function watchSilence(exchange: Exchange, clock: Clock): () => void {
  let bytesSeen = 0
  let silentChecks = 0
  let timer: Timer
  const check = () => {
    // While our own reader is slow, the endpoint cannot send.
    silentChecks = exchange.bytesTotal === bytesSeen && !exchange.isPaused ? silentChecks + 1 : 0
    bytesSeen = exchange.bytesTotal
    if (silentChecks >= checks) exchange.abort(streamSilent(silenceMsMax))
    else timer = clock.after(silenceMsMax / checks, check)
  }
  timer = clock.after(silenceMsMax / checks, check)
  return () => timer.cancel()
}
