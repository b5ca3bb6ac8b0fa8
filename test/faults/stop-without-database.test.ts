/** A process that is told to stop while its database does not answer: whatever it is at, it ends within seconds, and says why. */
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../bench/process/free-port.ts'
import type { Database } from '../../store/database.ts'
import { type TcpProxy, tcpProxy } from '../crash/tcp-proxy.ts'
import { builtService } from '../support/built-service.ts'
import { freshDatabase } from '../support/database.ts'
import { endSpawned, type Spawned, spawnNode } from '../support/spawned.ts'
import { dataFolder } from './support/service.ts'

/** It takes 3 s to 8 s; the rest is for a machine whose cores others use. Waits for the database are 30 s and more. */
const stopMsMax = 20_000

/** Nobody takes its connections, or they stay open and nothing comes back. */
const ways = ['cut', 'silence'] as const

async function behindProxy(): Promise<{ db: Database; proxy: TcpProxy; start(): Promise<Spawned> }> {
  const { address, db, drop } = await freshDatabase()
  onTestFinished(drop)
  const proxy = await tcpProxy({ path: `${address.host}/.s.PGSQL.${address.port}` })
  onTestFinished(() => proxy.close())
  const environment = {
    SERVICE_DATA_DIR: await dataFolder(),
    SERVICE_DATABASE_URL: `postgres://${address.user}:${address.password}@127.0.0.1:${proxy.port}/${address.database}`,
    SERVICE_MASTER_KEY: Buffer.alloc(32, 's').toString('base64'),
    SERVICE_WEBUI_ADDR: '127.0.0.1:0',
    SERVICE_LOG_LEVEL: 'debug',
  }
  onTestFinished(endSpawned)
  const start = async () => {
    const SERVICE_GATEWAY_ADDR = `127.0.0.1:${await freePort()}`
    return spawnNode(builtService(), ['start', '--no-supervise'], {
      environment: { ...environment, SERVICE_GATEWAY_ADDR },
    })
  }
  return { db, proxy, start }
}

async function expectEnd(process: Spawned): Promise<void> {
  const toldMs = performance.now()
  process.child.kill('SIGTERM')
  expect(await process.end).toBe(0)
  const tookMs = performance.now() - toldMs
  expect(tookMs, JSON.stringify(process.lines.slice(-10))).toBeLessThan(stopMsMax)
}

test.each(ways)('before it has reached the database (%s)', async (way) => {
  const { proxy, start } = await behindProxy()
  proxy[way]()
  const process = await start()
  await process.said('the database cannot be reached yet')
  await expectEnd(process)
})

test.each(ways)('while it starts (%s)', async (way) => {
  const { db, proxy, start } = await behindProxy()
  const process = await db.transaction('system', async (query) => {
    // The part after this one waits for it.
    await query`lock table instances in access exclusive mode`
    const started = await start()
    await expect.poll(() => started.lines.some(({ part }) => part === 'master key')).toBe(true)
    proxy[way]()
    return started
  })
  await expectEnd(process)
})

test.each(ways)('while it is one of several that are ready (%s)', async (way) => {
  const { proxy, start } = await behindProxy()
  const processes = [await start(), await start()]
  await Promise.all(processes.map((process) => process.said('ready')))
  await Promise.any(processes.map((process) => process.said('slots are handed over to another node')))
  proxy[way]()
  await Promise.all(processes.map((process) => process.said('no server of the database takes writes')))
  await Promise.all(processes.map(expectEnd))
  for (const { lines } of processes)
    expect(lines.map(({ msg }) => msg)).toContain(
      'the database does not answer: others see by themselves that this node has ended',
    )
})
