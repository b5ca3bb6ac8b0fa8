/** Messages between nodes through the database, where no NATS carries them: mailboxes, a notice a batch, and a slow poll. */
import type { Log } from '../../runtime/log/log.ts'
import { atMost } from '../../runtime/time/at-most.ts'
import { type Clock, systemClock } from '../../runtime/time/clock.ts'
import { every } from '../../runtime/time/every.ts'
import type { Database } from '../../store/database.ts'
import { keepMailbox, listenForFrames, postFrames, removeMailbox, takeFrames } from '../../store/nodes/mailbox.ts'
import type { OpenWire, Wire } from './wire.ts'

export interface PostgresWireOptions {
  db: Database
  epoch: number
  log: Log
  clock?: Clock
}

/** A row of it is read and deleted again within a millisecond or so. */
const frameBytesMax = 256 * 1024
/** Heals a lost notice. */
const pollMs = 500
const keepMs = 2_000
/** A mailbox that could not be removed meanwhile stays until it is old. */
const closeMs = 1_000

export function postgresWire({ db, epoch, log, clock = systemClock }: PostgresWireOptions): OpenWire {
  return async (ends) => {
    let isClosed = false
    let isNoticed = false
    let reading: Promise<void> | undefined

    /** One reader at a time: two would give the frames of one sender in any order. */
    function read(): void {
      isNoticed = true
      reading ??= readAll().finally(() => {
        reading = undefined
        if (isNoticed && !isClosed) read()
      })
    }

    async function readAll(): Promise<void> {
      while (isNoticed && !isClosed) {
        isNoticed = false
        try {
          const { frames, isMore } = await takeFrames(db, epoch)
          isNoticed ||= isMore
          for (const frame of frames) ends.frame(frame)
        } catch (err) {
          log.debug({ err }, 'messages of other nodes could not be read') // the next poll reads them
          return
        }
      }
    }

    const onError = (err: unknown) => log.debug({ err }, 'the mailbox of this node could not be kept')
    const keep = () => keepMailbox(db, epoch).catch(onError)

    let kept = keep()
    await kept
    const listener = await listenForFrames(db, epoch, {
      clock,
      onNotice: read,
      onLost() {
        log.warn('messages of other nodes cannot be heard for the moment: nodes look into the database instead')
        ends.state(false)
      },
      onListening(isAgain) {
        if (isAgain) log.info('messages of other nodes are heard again')
        ends.state(true)
        // A server that crashed has emptied the mailboxes.
        kept = kept.then(keep)
        read()
      },
    })
    const polling = every(pollMs, read, { clock, onError })
    const renewing = every(keepMs, keep, { clock, onError })

    return {
      frameBytesMax,
      write: (frames) => postFrames(db, epoch, frames),
      async close() {
        isClosed = true
        const removed = Promise.all([polling.stop(), renewing.stop(), listener.close(), reading, kept])
          .then(() => removeMailbox(db, epoch))
          .catch((err) => log.debug({ err }, 'the mailbox of this node stays until it is old'))
        await atMost(closeMs, removed, { clock })
      },
    } satisfies Wire
  }
}
