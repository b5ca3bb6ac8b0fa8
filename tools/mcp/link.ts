/** What a process and an HTTP server have in common: a transport with limits that reports when it breaks. */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Outgoing } from '../../runtime/network/outgoing.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import type { McpConnectionFailed } from './connection-failed.ts'
import type { McpLimits } from './limits.ts'

export interface LinkDependencies {
  clock: Clock
  limits: McpLimits
  /** Judges where a server by HTTP may be connected to. */
  outgoing: Outgoing
  /** Removes configured values from a text. */
  redact(text: string): string
  /** The link broke; called once. The receiver ends the calls under way. */
  onBroken(problem: McpConnectionFailed): void
}

export interface Link {
  readonly transport: Transport
  /** Ends the session, the connections and every process; resolves when nothing is left. Bounded, never rejects. */
  end(): Promise<void>
}
