/** When a server is retried: after growing pauses, on the clock of the service. */
import { afterEach, expect, test } from 'vitest'
import { virtualClock } from '../../support/virtual-clock.ts'
import { closeServers, openServers, scriptFile } from './support/open-servers.ts'

afterEach(closeServers)

test('a server that never starts is tried after growing pauses, and nothing waits for it', async () => {
  const clock = virtualClock()
  const servers = openServers(
    { gone: { command: '/nowhere/server' } },
    { clock, limits: { retryMinMs: 1_000, retryMaxMs: 60_000 } },
  )
  expect(servers.tools()).toEqual([])
  expect(servers.states()).toMatchObject([{ status: 'connecting', lastError: null }])
  const failures = () => servers.lines.filter(({ msg }) => msg.includes('will be retried'))
  for (let attempt = 1; attempt <= 8; attempt++) {
    await expect.poll(() => failures().length, { interval: 1 }).toBe(attempt)
    const pauseMs = Number(failures().at(-1)?.['pauseMs'])
    expect(pauseMs).toBeLessThanOrEqual(Math.min(60_000, 1_000 * 2 ** (attempt - 1)))
    await clock.advance(pauseMs - 1)
    expect(failures().length).toBe(attempt)
    await clock.advance(1)
  }
})

test('a handshake that is never answered is no connection that held, however long it took', async () => {
  const servers = openServers(
    { silent: { command: process.execPath, args: [scriptFile('scripted.ts'), 'silent'] } },
    { limits: { connectMs: 40, stableMs: 20, retryMinMs: 1, retryMaxMs: 2, closeGraceMs: 20 } },
  )
  const attempts = () => servers.lines.flatMap(({ attempt }) => attempt ?? []).slice(0, 3)
  await expect.poll(attempts, { interval: 1 }).toEqual([1, 2, 3])
})

test('closing does not wait for the pause', async () => {
  const clock = virtualClock()
  const servers = openServers({ gone: { command: '/nowhere/server' } }, { clock, limits: { retryMinMs: 3_600_000 } })
  await expect.poll(() => servers.states()[0]?.status, { interval: 1 }).toBe('waiting')
  await servers.close()
  expect(servers.states()).toMatchObject([{ status: 'closed' }])
  expect(clock.timersWaiting).toBe(0)
})
