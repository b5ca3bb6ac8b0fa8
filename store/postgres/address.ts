/** Where the database is: the operator's URL, several servers of one database, or the socket of the built-in one. */
import type { Duplex } from 'node:stream'

export interface DatabaseAddress {
  /** Of several servers the first. */
  url?: string
  host?: string
  port?: number
  database?: string
  user?: string
  password?: string
  /** Several servers: connections go to the one that is wanted of them. */
  servers?: Servers
}

export type ServerRole =
  /** It takes writes. */
  | 'primary'
  | 'standby'
  /** No standby, and refuses writes all the same. */
  | 'read-only'
  /** It takes writes, but another one was promoted after it, or it is no copy of the same database. */
  | 'refused'
  | 'unreachable'

export interface ServerState {
  /** Host and port. */
  name: string
  role: ServerRole
  /** Counts up with each promotion; null: not known. */
  timeline: number | null
  /** Of a standby: what it has not taken over yet of what the primary has written. */
  lagBytes: number | null
}

export interface Servers {
  /** Of the newest look. */
  readonly states: readonly ServerState[]
  /** Where connections go; undefined: nowhere. */
  readonly chosen: string | undefined
  /** A fresh look at all of them. */
  look(): Promise<readonly ServerState[]>
  /** A promotion that somebody else has seen: servers that do not know of it are refused from now on. */
  notePromotion(promoted: { cluster: string; timeline: number }): void
  /** A new connection to the chosen one; it fails by itself where there is none within a few seconds. */
  connect(): Promise<Duplex>
  /** After each look, and with each change of what is known. */
  onLook(listener: () => void): void
}

/** A standby that is further behind would lose much, or take long, if it were promoted. */
export const lagBytesMax = 64 * 1_024 * 1_024
