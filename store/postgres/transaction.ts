/**
 * Transactions, each on a connection that is its alone. postgres.js's own `begin` may go on with a callback on a new
 * connection after its own is lost, and commit there, and a rollback on the lost one ends the process. Here a
 * connection's loss ends its transaction: its queries are refused from that instant, and nothing of it is written.
 */
import type { Sql as Driver } from 'postgres'
import type { Deadlines } from '../../runtime/actor/deadlines.ts'
import { DatabaseDown, DatabaseHangs, TransactionLost, TransactionOver } from '../errors.ts'
import type { DatabaseAddress } from './address.ts'
import { openPool, type PoolOptions } from './pool.ts'
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
  /** Of the transaction that has the slot now. */
  onLost: (() => void) | undefined
  /** Gives a connection up that does not answer. */
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
        return await runIn(slot, deadlines, beginning(settings), work)
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
      await Promise.all(slots.map(({ driver }) => driver.end({ timeout: 5 })))
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

/** One message to the server, which takes parameters nowhere in it: so nothing goes in that could be anything but a word. */
function beginning(settings: Readonly<Record<string, string>>): string {
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
   * One at a time: a query that waits inside the driver while the connection is lost would be sent on the next one, as
   * a statement of its own.
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
    if (state === 'beginning') return // nothing is lost: `begin` is sent again, or says that it cannot be
    state = 'lost'
    lost.reject(new TransactionLost())
  }
  /** Read anew: the connection may be lost at any await. */
  const isLost = () => (state as string) === 'lost'

  try {
    await plain(begin)
    state = 'open'
    const result = await Promise.race([work(query), lost.promise])
    state = 'ending'
    await last
    // A failed statement has ended the transaction for the server, whether `work` minded or not.
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
