/** Where log lines leave the process: written in the background, bounded, flushed when the process ends. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type DestinationStream, pino } from 'pino'

/** Bytes that wait for a reader that has stopped reading; past it lines are dropped and counted. */
const waitingBytesMax = 8 * 1_048_576
/** How long the end of the process waits for such a reader. */
const flushMs = 2_000

export interface LogDestination extends DestinationStream {
  /** Writes all waiting lines at once; gives up after `flushMs`. A line that is being written may come after the others. */
  flushSync(): void
  /** Resolves when every line is written, in order, or after `flushMs`. */
  written(): Promise<void>
  readonly dropped: number
}

/** @param target a file descriptor (1: standard output) or a file's path */
export function logDestination(target: number | string = 1): LogDestination {
  let dropped = 0
  let giveUpAtMs = Number.POSITIVE_INFINITY
  const stream = pino.destination({
    dest: target,
    sync: false,
    maxLength: waitingBytesMax,
    retryEAGAIN: () => Date.now() < giveUpAtMs,
  })
  let isWaiting = false
  stream.on('drain', () => {
    isWaiting = false
  })
  stream.on('drop', () => dropped++)
  // The reader of a pipe has gone, or the disk is full: the service goes on without its log.
  stream.on('error', () => dropped++)

  function flushSync(): void {
    giveUpAtMs = Date.now() + flushMs
    try {
      stream.flushSync()
    } catch {
      dropped++ // not yet open, or closed: these lines are lost
    } finally {
      giveUpAtMs = Number.POSITIVE_INFINITY
    }
  }
  process.once('exit', flushSync)

  return {
    write: (line) => {
      isWaiting = true
      stream.write(line)
    },
    flushSync,
    async written() {
      if (!isWaiting) return
      const drained = new Promise<void>((resolve) => stream.once('drain', resolve))
      await Promise.race([drained, sleep(flushMs, undefined, { ref: false })])
    },
    get dropped() {
      return dropped
    },
  }
}
