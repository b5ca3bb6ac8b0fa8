/** Where lines leave the process: written in the background, bounded, and flushed when the process ends. */
import { type DestinationStream, pino } from 'pino'

/** What waits for a reader that stands still; past it lines are dropped and counted. */
const waitingBytesMax = 8 * 1_048_576
/** How long the end of the process waits for that reader. */
const flushMs = 2_000

export interface LogDestination extends DestinationStream {
  /** Writes what is waiting, at once; gives up on a reader that stands still. */
  flushSync(): void
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
      stream.write(line)
    },
    flushSync,
    get dropped() {
      return dropped
    },
  }
}
