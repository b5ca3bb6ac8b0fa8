/** Where lines leave the process: written in the background, bounded, and flushed when the process ends. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type DestinationStream, pino } from 'pino'

/** What waits for a reader that stands still; past it lines are dropped and counted. */
const waitingBytesMax = 8 * 1_048_576
/** How long the end of the process waits for that reader. */
const flushMs = 2_000

export interface LogDestination extends DestinationStream {
  /** Writes what is waiting, at once; gives up on a reader that stands still. A line under way may come behind the rest. */
  flushSync(): void
  /** Once nothing waits: every line is out, in order. Gives up on a reader that stands still. */
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
      dropped++ // not yet open, or gone: nothing more can be done with these lines
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
