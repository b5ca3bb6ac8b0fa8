/** How much a server may send in a time window. Parsing takes the main thread, so a server that floods it is disconnected. */
import type { Clock } from '../../runtime/time/clock.ts'
import { McpConnectionFailed } from './connection-failed.ts'
import type { McpLimits } from './limits.ts'

export interface FlowLimit {
  /** @throws McpProblem `flood` */
  take(bytes: number, messages: number): void
}

export function flowLimit(limits: McpLimits['flow'], clock: Clock): FlowLimit {
  let sinceMs = clock.elapsed()
  let bytesTaken = 0
  let messagesTaken = 0
  return {
    take(bytes, messages) {
      const nowMs = clock.elapsed()
      if (nowMs - sinceMs >= limits.windowMs) {
        sinceMs = nowMs
        bytesTaken = 0
        messagesTaken = 0
      }
      bytesTaken += bytes
      messagesTaken += messages
      if (bytesTaken > limits.bytesMax || messagesTaken > limits.messagesMax)
        throw new McpConnectionFailed(
          'flood',
          `it sent more than ${limits.bytesMax} bytes or ${limits.messagesMax} messages in ${limits.windowMs / 1_000} s`,
        )
    },
  }
}
