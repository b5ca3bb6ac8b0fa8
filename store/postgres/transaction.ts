/**
 * Transactions, each on an exclusive connection. After a lost connection the `begin` of postgres.js may go on with the
 * callback on a new one, and commit there, and a rollback on the lost one ends the process. Here a lost connection ends its
 * transaction: further queries are refused, and nothing is written.
 */
import type { Sql as Driver } from 'postgres'
import type { Deadlines } from '../../runtime/actor/deadlines.ts'
import { DatabaseDown, DatabaseHangs, TransactionLost, TransactionOver } from '../errors.ts'
import type { DatabaseAddress } from './address.ts'
import { closeS, openPool, type PoolOptions } from './pool.ts'
import { type Query, timedQuery } from './query.ts'
import { sendInTime, waitMs } from './send.ts'
import { type WaitingRoom, waitingRoom } from './waiting-room.ts'

export interface Transactions {
  /**
   * @param settings of this transaction only
   * @throws TransactionLost, DatabaseDown, or what `work` throws, after a rollback
   */
  run<Result>(work: (query: Query) => Promise<Result>, settings?: Readonly<Record<string, string>>): Promise<Result>
  readonly running: number
  readonly waiting: number
  close(): Promise<void>
}

const waitingMax = 1_000

interface Slot {
  driver: Driver
  /** Of the transaction that uses the slot. */
  onLost: (() => void) | undefined
  /** Replaces a connection that does not answer. */
  renew(): void
}

export function transactions(
  address: DatabaseAddress,
  options: Omit<PoolOptions, 'onLost'>,
  deadlines: Deadlines,
): Transactions {
  const slots = Array.from({ length: options.connectionsMax }, () => openSlot(address, options))
  const room: WaitingRoom<Slot> = waitingRoom(slots, { waitMs, waitingMax }, deadlines)
  return {
    async run(work, settings = {}) {
      const slot = await room.enter()
      try {
        return await runIn(slot, deadlines, beginText(settings), work)
      } finally {
        slot.onLost = undefined
        room.leave(slot)
      }
    },
    get running() {
      return room.taken
    },
    get waiting() {
      return room.waiting
    },
    async close() {
      await Promise.all(slots.map(({ driver }) => driver.end({ timeout: closeS })))
    },
  }
}

function openSlot(address: DatabaseAddress, options: Omit<PoolOptions, 'onLost'>): Slot {
  const slot: Slot = { driver: openDriver(), onLost: undefined, renew }

  function openDriver(): Driver {
    const driver: Driver = openPool(address, {
      ...options,
      connectionsMax: 1,
      onLost() {
        if (driver === slot.driver) slot.onLost?.()
      },
    })
    return driver
  }

  function renew(): void {
    void slot.driver.end({ timeout: 0 })
    slot.driver = openDriver()
  }
  return slot
}

/** One message of several statements takes no parameters: so names and values are restricted to plain words. */
function beginText(settings: Readonly<Record<string, string>>): string {
  const lines = Object.entries(settings).map(([name, value]) => {
    if (!/^[a-z_.]+$/.test(name) || !/^[0-9a-zA-Z_-]*$/.test(value))
      throw new TypeError(`${name} is not a plain setting`)
    return `set local ${name} = '${value}'`
  })
  return ['begin', ...lines].join('; ')
}

async function runIn<Result>(
  slot: Slot,
  deadlines: Deadlines,
  begin: string,
  work: (query: Query) => Promise<Result>,
): Promise<Result> {
  const { driver } = slot
  const send = timedQuery(driver, deadlines)
  const plain = (text: string) => sendInTime(() => driver.unsafe(text), deadlines)
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => undefined)
  let state: 'beginning' | 'open' | 'ending' | 'lost' = 'beginning'
  let last: Promise<unknown> = Promise.resolve()
  let failure: { error: unknown } | undefined

  /**
   * One at a time: a query that waits inside the driver while the connection is lost would be sent on the next one,
   * outside of any transaction.
   */
  const query: Query = <Row extends object>(...call: Parameters<Query>) => {
    const turn = last.then(() => {
      if (state === 'open') return send<Row>(...call)
      throw state === 'lost' ? new TransactionLost() : new TransactionOver()
    })
    last = turn.catch((error) => {
      failure ??= { error }
    })
    return turn
  }

  slot.onLost = () => {
    if (state === 'beginning') return // nothing is lost: `begin` is sent again, or fails
    state = 'lost'
    lost.reject(new TransactionLost())
  }
  /** A function, as the connection may be lost at any await. */
  const isLost = () => (state as string) === 'lost'

  try {
    await plain(begin)
    state = 'open'
    const result = await Promise.race([work(query), lost.promise])
    state = 'ending'
    await last
    // For the server a failed statement has ended the transaction, even where `work` ignored the error.
    if (failure) throw failure.error
    await plain('commit')
    if (isLost()) throw new TransactionLost()
    return result
  } catch (error) {
    const wasBegun = state !== 'beginning'
    if (!isLost()) {
      state = 'ending'
      if (wasBegun) await last.then(() => plain('rollback')).catch(slot.renew)
      else if (error instanceof DatabaseHangs) slot.renew()
    }
    throw isLost() && !(error instanceof DatabaseDown) ? new TransactionLost() : error
  } finally {
    if (!isLost()) state = 'ending'
  }
}
