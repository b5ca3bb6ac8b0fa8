/** How Node.js runs the gateway. */
import { getHeapStatistics } from 'node:v8'
import { shareOf } from './messages.ts'

/**
 * More memory for young objects: a batch of messages lives until its commit, and with the default of 16 MiB the garbage
 * collector copies it again and again (a quarter of the thread at 14,000 messages a second). It is taken only when needed.
 *
 * Several processes divide among them what one may have: V8 bounds the memory of each by that of the machine.
 */
export function gatewayNodeOptions(processes = 1): readonly string[] {
  const young = '--max-semi-space-size=64'
  if (processes === 1) return [young]
  const mebibytes = Math.max(
    leastMebibytes,
    shareOf(getHeapStatistics().heap_size_limit / 1_048_576, { of: processes }),
  )
  return [young, `--max-old-space-size=${mebibytes}`]
}

const leastMebibytes = 256
