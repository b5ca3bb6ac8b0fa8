/**
 * Word of changes between processes: one LISTEN connection. While it is down changes may be missed, so whoever
 * remembers things asks `isListening` first, and hears `onChange` once it is up again.
 */
import type { Log } from '../runtime/log/log.ts'
import { type Clock, systemClock } from '../runtime/time/clock.ts'
import { type ChangeKind, changeKinds } from './change-kinds.ts'
import type { Database } from './database.ts'
import { listen } from './listener.ts'

const kinds = Object.keys(changeKinds) as ChangeKind[]

export interface Changes {
  readonly isListening: boolean
  /** Calls back after a change of this kind, and after a time in which changes could not be heard. */
  onChange(kind: ChangeKind, fire: () => void): () => void
  close(): Promise<void>
}

const channel = 'service_changes'

/** Tells every process of this database. Awaited: it has been told. */
export async function notifyChange(db: Database, kind: ChangeKind): Promise<void> {
  await db.system`select pg_notify(${channel}, ${kind})`
}

/** Resolves after the first try, successful or not; it goes on trying until it is closed. */
export async function listenForChanges(db: Database, log: Log, clock: Clock = systemClock): Promise<Changes> {
  const listeners = new Map<ChangeKind, Set<() => void>>(kinds.map((kind) => [kind, new Set()]))

  function fire(kind: ChangeKind): void {
    for (const listener of listeners.get(kind) ?? []) listener()
  }

  const listener = await listen(db.address, {
    name: 'changes',
    channel,
    clock,
    onNotice(payload) {
      const kind = kinds.find((known) => known === payload)
      if (kind) fire(kind)
    },
    onLost: () => log.warn('changes of settings and keys cannot be heard for the moment'),
    onListening(isAgain) {
      if (!isAgain) return
      log.info('changes of settings and keys are heard again')
      for (const kind of kinds) fire(kind)
    },
  })

  return {
    get isListening() {
      return listener.isListening
    },
    onChange(kind, fire) {
      listeners.get(kind)?.add(fire)
      return () => listeners.get(kind)?.delete(fire)
    },
    close: () => listener.close(),
  }
}
