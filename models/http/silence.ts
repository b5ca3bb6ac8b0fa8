/** Ends a stream whose endpoint has fallen silent: looks now and then whether bytes came, which costs a chunk nothing. */
import type { Clock, Timer } from '../../runtime/time/clock.ts'
import type { Exchange } from './exchange.ts'
import { streamSilent } from './failures.ts'

/** Reasoning models think for minutes before their first word. */
const silenceMsMax = 300_000
const looks = 4

/** @returns how to stop watching */
export function watchSilence(exchange: Exchange, clock: Clock): () => void {
  let seen = 0
  let silentLooks = 0
  let timer: Timer
  const look = () => {
    // A reader of ours that is slow is no silence of theirs.
    silentLooks = exchange.bytesTotal === seen && !exchange.isPaused ? silentLooks + 1 : 0
    seen = exchange.bytesTotal
    if (silentLooks >= looks) exchange.abort(streamSilent(silenceMsMax))
    else timer = clock.after(silenceMsMax / looks, look)
  }
  timer = clock.after(silenceMsMax / looks, look)
  return () => timer.cancel()
}
