/** What a process and an HTTP server have in common: a transport of the protocol with bounds, that says when it broke. */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Clock } from '../../runtime/time/clock.ts'
import type { McpConnectionFailed } from './connection-failed.ts'
import type { McpLimits } from './limits.ts'

export interface LinkDependencies {
  clock: Clock
  limits: McpLimits
  /** Only addresses that are not public may be called. */
  isAirgapped: boolean
  /** Takes configured values out of words. */
  redact(words: string): string
  /** The link broke by itself; told once. Calls under way are ended by whoever hears it. */
  onBroken(problem: McpConnectionFailed): void
}

export interface Link {
  readonly transport: Transport
  /** Ends the session, the connections and every process; resolves when nothing is left. Bounded, never rejects. */
  end(): Promise<void>
}
