/** Ends a stream whose endpoint sends nothing for too long. Checks now and then whether bytes came, which costs a chunk nothing. */
import type { Clock, Timer } from '../../runtime/time/clock.ts'
import type { ModelError } from '../errors.ts'
import { streamSilent } from './failures.ts'

/** Reasoning models think for minutes before their first word. */
const silenceMsMax = 300_000
const checks = 4

/** The stream that is watched. */
export interface ReceivingStream {
  /** Received so far. */
  readonly bytesTotal: number
  /** Our own reader is slow: nothing is received. */
  readonly isPaused: boolean
  abort(reason: ModelError): void
}

/** @returns stops watching */
export function watchSilence(stream: ReceivingStream, clock: Clock): () => void {
  let bytesSeen = 0
  let silentChecks = 0
  let timer: Timer
  const check = () => {
    // While our own reader is slow, the endpoint cannot send.
    silentChecks = stream.bytesTotal === bytesSeen && !stream.isPaused ? silentChecks + 1 : 0
    bytesSeen = stream.bytesTotal
    if (silentChecks >= checks) stream.abort(streamSilent(silenceMsMax))
    else timer = clock.after(silenceMsMax / checks, check)
  }
  timer = clock.after(silenceMsMax / checks, check)
  return () => timer.cancel()
}
