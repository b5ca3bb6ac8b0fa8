/** The state of each channel's connection in this process, and its last error, for operators. */
import type { ChannelId } from '../../store/id.ts'

/** `none`: it is off, or needs no connection. `waiting`: disconnected, and retried after a pause. */
export type ConnectionStatus = 'none' | 'connecting' | 'connected' | 'waiting'

export interface ConnectionState {
  status: ConnectionStatus
  since: Date | null
  /** The last connection error; remains when it is connected again. */
  lastError: string | null
}

export interface Connections {
  of(id: ChannelId): ConnectionState
  set(id: ChannelId, status: ConnectionStatus, now: Date, error?: unknown): void
  /** Forgets all others. */
  keep(ids: ReadonlySet<ChannelId>): void
}

const errorCharactersMax = 500

export function connectionBoard(): Connections {
  const states = new Map<ChannelId, ConnectionState>()
  return {
    of: (id) => states.get(id) ?? { status: 'none', since: null, lastError: null },
    set(id, status, since, error) {
      // It may be configured differently now: the earlier error says nothing about it.
      const before = status === 'connecting' ? null : (states.get(id)?.lastError ?? null)
      states.set(id, { status, since, lastError: error === undefined ? before : wordsOf(error) })
    },
    keep(ids) {
      for (const id of states.keys()) if (!ids.has(id)) states.delete(id)
    },
  }
}

/** In one line, as a log and operators have it. */
export function wordsOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, errorCharactersMax)
}
