/**
 * Word of changes between processes: one LISTEN connection. While it is down changes may be missed, so whoever
 * remembers things asks `isListening` first, and hears `onChange` once it is up again.
 */
import type { Log } from '../runtime/log/log.ts'
import type { Database } from './database.ts'
import { openPool } from './pool.ts'

export type ChangeKind = 'settings' | 'api_keys'

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

export async function listenForChanges(db: Database, log: Log): Promise<Changes> {
  const listeners = new Map<ChangeKind, Set<() => void>>([
    ['settings', new Set()],
    ['api_keys', new Set()],
  ])
  let isListening = false
  let wasUp = false
  const driver = openPool(db.address, {
    name: 'changes',
    role: 'service_system',
    connectionsMax: 1,
    statementMs: 0,
    onLost() {
      if (isListening) log.warn('changes of settings and keys cannot be heard for the moment')
      isListening = false
    },
  })

  function fire(kind: ChangeKind): void {
    for (const listener of listeners.get(kind) ?? []) listener()
  }

  await driver.listen(
    channel,
    (payload) => {
      if (payload === 'settings' || payload === 'api_keys') fire(payload)
    },
    () => {
      isListening = true
      if (wasUp) for (const kind of listeners.keys()) fire(kind)
      wasUp = true
    },
  )

  return {
    get isListening() {
      return isListening
    },
    onChange(kind, listener) {
      listeners.get(kind)?.add(listener)
      return () => listeners.get(kind)?.delete(listener)
    },
    async close() {
      isListening = false
      await driver.end({ timeout: 2 })
    },
  }
}
