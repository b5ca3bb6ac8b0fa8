/** One LISTEN connection, which is looked after: lost or hung, it is opened again, and both are told. */
import type { Sql as Driver } from 'postgres'
import { type Clock, sleep } from '../runtime/time/clock.ts'
import type { DatabaseAddress } from './postgres/address.ts'
import { openPool } from './postgres/pool.ts'

export interface Listener {
  readonly isListening: boolean
  close(): Promise<void>
}

export interface ListenOptions {
  /** Of the connection, as the server shows it. */
  name: string
  /** Of the notices: a plain word. */
  channel: string
  clock: Clock
  onNotice(payload: string): void
  /** From now on notices may be missed. */
  onLost(): void
  /** Notices are heard, at first (`isAgain` is false) or after a time in which they may have been missed. */
  onListening(isAgain: boolean): void
}

/** A connection whose other end vanished without a word is found out by asking. */
const askEveryMs = 10_000
const answerMs = 5_000
const retryMs = 100

/** Resolves after the first try, successful or not; it goes on trying until it is closed. */
export async function listen(address: DatabaseAddress, options: ListenOptions): Promise<Listener> {
  const { name, channel, clock, onNotice, onLost, onListening } = options
  if (!/^[a-z0-9_]+$/.test(channel)) throw new TypeError(`${channel} is not a plain word`)
  const closing = new AbortController()
  let driver: Driver
  let isListening = false
  let wasUp = false
  let isTrying = false

  function open(): Driver {
    const opened = openPool(address, {
      name,
      role: 'service_system',
      connectionsMax: 1,
      statementMs: 0,
      isAlwaysOpen: true,
      onLost() {
        if (opened === driver) lost()
      },
      onNotify(heard, payload) {
        if (heard === channel) onNotice(payload)
      },
    })
    return opened
  }

  function lost(): void {
    const wasListening = isListening
    isListening = false
    if (wasListening) onLost()
    if (!isTrying && !closing.signal.aborted) void keepTrying()
  }

  async function keepTrying(): Promise<void> {
    isTrying = true
    while (!closing.signal.aborted) {
      await sleep(clock, retryMs, closing.signal).catch(() => undefined)
      if (closing.signal.aborted || (await begin())) break
    }
    isTrying = false
  }

  async function begin(): Promise<boolean> {
    try {
      await answered(driver.unsafe(`listen ${channel}`))
    } catch {
      return false // the next try follows; `isListening` has said so already
    }
    isListening = true
    onListening(wasUp)
    wasUp = true
    return true
  }

  /** A hung connection is given up, and another opened in its place. */
  async function answered(query: PromiseLike<unknown>): Promise<void> {
    const late = Promise.withResolvers<never>()
    const timer = clock.after(answerMs, () => late.reject(new Error('no answer')))
    try {
      await Promise.race([query, late.promise])
    } catch (error) {
      const hung = driver
      if (!closing.signal.aborted) driver = open()
      void hung.end({ timeout: 0 })
      throw error
    } finally {
      timer.cancel()
    }
  }

  async function ask(): Promise<void> {
    if (isListening) await answered(driver.unsafe('select 1')).catch(lost)
    if (!closing.signal.aborted) timer = clock.after(askEveryMs, ask)
  }

  driver = open()
  let timer = clock.after(askEveryMs, ask)
  if (!(await begin())) lost()

  return {
    get isListening() {
      return isListening
    },
    async close() {
      closing.abort()
      timer.cancel()
      isListening = false
      await driver.end({ timeout: 2 })
    },
  }
}
