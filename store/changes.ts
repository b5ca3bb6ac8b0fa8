/**
 * Word of changes between processes: one LISTEN connection. While it is down changes may be missed, so whoever
 * remembers things asks `isListening` first, and hears `onChange` once it is up again.
 */
import type { Sql as Driver } from 'postgres'
import type { Log } from '../runtime/log/log.ts'
import { type Clock, sleep, systemClock } from '../runtime/time/clock.ts'
import { type ChangeKind, changeKinds } from './change-kinds.ts'
import type { Database } from './database.ts'
import { openPool } from './postgres/pool.ts'

const kinds = Object.keys(changeKinds) as ChangeKind[]

export interface Changes {
  readonly isListening: boolean
  /** Calls back after a change of this kind, and after a time in which changes could not be heard. */
  onChange(kind: ChangeKind, fire: () => void): () => void
  close(): Promise<void>
}

const channel = 'service_changes'

/** A connection whose other end vanished without a word is found out by asking. */
const askEveryMs = 10_000
const answerMs = 5_000
const retryMs = 100

/** Tells every process of this database. Awaited: it has been told. */
export async function notifyChange(db: Database, kind: ChangeKind): Promise<void> {
  await db.system`select pg_notify(${channel}, ${kind})`
}

/** Resolves after the first try, successful or not; it goes on trying until it is closed. */
export async function listenForChanges(db: Database, log: Log, clock: Clock = systemClock): Promise<Changes> {
  const listeners = new Map<ChangeKind, Set<() => void>>(kinds.map((kind) => [kind, new Set()]))
  const closing = new AbortController()
  let driver: Driver
  let isListening = false
  let wasUp = false
  let isTrying = false

  function open(): Driver {
    const opened = openPool(db.address, {
      name: 'changes',
      role: 'service_system',
      connectionsMax: 1,
      statementMs: 0,
      isAlwaysOpen: true,
      onLost() {
        if (opened === driver) lost()
      },
      onNotify(name, payload) {
        const kind = kinds.find((known) => known === payload)
        if (name === channel && kind) fire(kind)
      },
    })
    return opened
  }

  function fire(kind: ChangeKind): void {
    for (const listener of listeners.get(kind) ?? []) listener()
  }

  function lost(): void {
    if (isListening) log.warn('changes of settings and keys cannot be heard for the moment')
    isListening = false
    if (!isTrying && !closing.signal.aborted) void keepTrying()
  }

  async function keepTrying(): Promise<void> {
    isTrying = true
    while (!closing.signal.aborted) {
      await sleep(clock, retryMs, closing.signal).catch(() => undefined)
      if (closing.signal.aborted || (await listen())) break
    }
    isTrying = false
  }

  async function listen(): Promise<boolean> {
    try {
      await answered(driver.unsafe(`listen ${channel}`))
    } catch {
      return false // the next try follows; `isListening` has said so already
    }
    isListening = true
    if (wasUp) {
      log.info('changes of settings and keys are heard again')
      for (const kind of listeners.keys()) fire(kind)
    }
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
      driver = open()
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
  if (!(await listen())) lost()

  return {
    get isListening() {
      return isListening
    },
    onChange(kind, listener) {
      listeners.get(kind)?.add(listener)
      return () => listeners.get(kind)?.delete(listener)
    },
    async close() {
      closing.abort()
      timer.cancel()
      isListening = false
      await driver.end({ timeout: 2 })
    },
  }
}
