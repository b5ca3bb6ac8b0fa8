/** The jobs of the load process and their results: plain data, sent over IPC. */
import type { Figures } from '../row.ts'

export interface Endpoint {
  host: string
  port: number
  /** Credentials and whatever else this contestant wants with each request. */
  headers: Record<string, string>
}

export type Job = {
  target: Endpoint
  connections: number
  warmUpMs: number
  measureMs: number
} & (
  | { kind: 'whole'; api?: 'responses' }
  | { kind: 'burst'; chunks: number }
  | { kind: 'paced'; chunks: number; intervalMs: number }
  /** Each connection talks to a stored conversation of its own, a new one after so many turns; in these slots alone, where they are given. */
  | { kind: 'stored'; turnsEach: number; slots?: readonly number[] }
  /** Messages of a channel, several in each request where that is more than one. */
  | { kind: 'inbound'; messagesEach: number }
  /** A message, and its event on the feed that everybody follows. */
  | { kind: 'first-event' }
  /** Feeds of one conversation each; so many messages a second go to all of them in turn. */
  | { kind: 'fan-out'; feeds: number; perS: number }
  | { kind: 'sockets'; sockets: number }
  /** Turns of an agent whose model asks for so many tools, one after the other. */
  | { kind: 'agent-turns'; agent: string; steps: number }
  /** The same model calls in a row, on the model itself. */
  | { kind: 'model-calls'; steps: number }
)

export type ToLoad = { type: 'run'; job: Job }

export type FromLoad =
  | { type: 'ready' }
  /** Warm-up is over: what is counted begins here. */
  | { type: 'begin' }
  /** The time that counts is over; what was begun in it still ends. */
  | { type: 'end' }
  | { type: 'done'; figures: Figures }
  | { type: 'failed'; reason: string }
