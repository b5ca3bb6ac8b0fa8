import { expect, test } from 'vitest'
import { startNats } from '../../bench/process/nats.ts'
import { until } from '../../bench/process/until.ts'
import { isNatsMissing } from '../gateway/bus/support/nats-server.ts'

test.skipIf(isNatsMissing)('a NATS that has died before it is stopped is waited for no more', async () => {
  const nats = await startNats()
  process.kill(nats.pid, 'SIGKILL')
  await until('it has ended', 5_000, async () => !isThere(nats.pid))
  await nats.stop()
  expect(isThere(nats.pid)).toBe(false)
})

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
