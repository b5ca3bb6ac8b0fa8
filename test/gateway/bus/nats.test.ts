import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createServer as createSilentServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@nats-io/transport-node'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { type NatsOptions, natsWire } from '../../../gateway/bus/nats.ts'
import { busOverWire } from '../../../gateway/bus/over-wire.ts'
import type { Bus } from '../../../runtime/nodes/bus.ts'
import { type Clock, systemClock } from '../../../runtime/time/clock.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { type Carrier, conformance, nodes, testBusKey } from './support/conformance.ts'
import { isNatsMissing, type NatsServer, natsServer } from './support/nats-server.ts'

async function natsCarrier(): Promise<Carrier> {
  const server = await natsServer()
  const wireOf = (prefix: string) => (epoch: number, log: ReturnType<typeof recordingLog>['log']) =>
    natsWire({ url: server.url, prefix, epoch, log })
  return {
    wire: wireOf('aa'),
    foreignWire: wireOf('bb'),
    async inject(epoch, bytes) {
      const client = await connect({ servers: server.url })
      client.publish(`aa.node.${epoch}`, bytes)
      await client.flush()
      await client.close()
    },
    breakDown: server.kill,
    repair: server.start,
    close: server.kill,
  }
}

describe.skipIf(isNatsMissing)('with a nats-server', () => {
  const opened: (Bus | NatsServer | Server)[] = []
  afterEach(async () => {
    for (const part of opened.splice(0).reverse()) {
      if ('kill' in part) await part.kill()
      else await part.close()
    }
  })

  async function openBus(options: NatsOptions, epoch = 1) {
    const { log, lines } = recordingLog('info')
    let waits = 0
    const after: Clock['after'] = (delayMs, fire) => {
      waits++
      return systemClock.after(delayMs, fire)
    }
    const wire = natsWire({ ...options, prefix: 'aa', epoch, log, clock: { ...systemClock, after } })
    const bus = await busOverWire(wire, { epoch, key: testBusKey, log })
    opened.push(bus)
    /** Resolves when it has tried, and given up, twice more. */
    async function triedAgain(): Promise<void> {
      const before = waits
      await expect.poll(() => waits - before, { timeout: 10_000 }).toBeGreaterThanOrEqual(2)
    }
    return { bus, lines, triedAgain }
  }

  async function startServer(args: string[]): Promise<NatsServer> {
    const server = await natsServer(args)
    opened.push(server)
    return server
  }

  /** A configuration of a server with one user. @returns its path */
  async function configOf(
    { publish, subscribe }: { publish: string; subscribe: string },
    path = join(tmpdir(), `nats-${randomUUID()}.conf`),
  ): Promise<string> {
    const permissions = `{ publish: ${publish}, subscribe: ${subscribe} }`
    await writeFile(
      path,
      `authorization { users: [{ user: service, password: right, permissions: ${permissions} }] }\n`,
    )
    onTestFinished(() => rm(path, { force: true }))
    return path
  }

  conformance('NATS', nodes(natsCarrier))

  test('a user and a password, or a token, let it in; a wrong one does not, and the line does not repeat it', async () => {
    const { url } = await startServer(['--user', 'service', '--pass', 'right'])
    const { url: tokenUrl } = await startServer(['--auth', 'right'])

    const wrong = await openBus({ url, user: 'service', password: 'wrong-secret' })
    expect(wrong.bus.isUp).toBe(false)
    expect(wrong.lines).toHaveLength(1)
    expect(JSON.stringify(wrong.lines)).toContain('Authorization Violation')
    expect(JSON.stringify(wrong.lines)).not.toContain('wrong-secret')
    expect((await openBus({ url, user: 'service', password: 'right' })).bus.isUp).toBe(true)
    expect((await openBus({ url: tokenUrl, token: 'wrong' })).bus.isUp).toBe(false)
    expect((await openBus({ url: tokenUrl, token: 'right' })).bus.isUp).toBe(true)
  })

  test.each([
    { missing: 'publish', subject: 'aa.node.1', publish: '"aa.all"', subscribe: '"aa.>"' },
    { missing: 'publish', subject: 'aa.all', publish: '"aa.node.*"', subscribe: '"aa.>"' },
    { missing: 'subscribe', subject: 'aa.all', publish: '"aa.>"', subscribe: '"aa.node.*"' },
    { missing: 'subscribe', subject: 'aa.node.1', publish: '"aa.>"', subscribe: '"aa.all"' },
  ])('a user who may not $missing to $subject is said once, and the way is not up', async (allowed) => {
    const { url } = await startServer(['--config', await configOf(allowed)])
    const { bus, lines, triedAgain } = await openBus({ url, user: 'service', password: 'right' })
    await triedAgain()
    expect(bus.isUp).toBe(false)
    expect(lines).toMatchObject([{ subject: allowed.subject, msg: expect.stringContaining('subscribe to aa.>') }])
    expect(lines[0]?.['msg']).toContain(`may not ${allowed.missing} to`)
  })

  test('a user who may do all on the subjects of the nodes is let in, and cut off when that ends', async () => {
    const config = await configOf({ publish: '"aa.>"', subscribe: '"aa.>"' })
    const server = await startServer(['--config', config])
    const options = { url: server.url, user: 'service', password: 'right' }
    const { bus, lines, triedAgain } = await openBus(options)
    const other = await openBus(options, 2)
    const words: unknown[] = []
    other.bus.on('word', (word) => words.push(word))
    bus.send(2, 'word', 'hello')
    await expect.poll(() => words).toEqual(['hello'])
    expect(lines).toEqual([])
    // The probes of its start are no messages.
    expect(other.bus.counts).toMatchObject({ refused: 0, received: 1 })

    // What one node alone is refused.
    await configOf({ publish: '["aa.all", "aa.node.1"]', subscribe: '"aa.>"' }, config)
    server.reload()
    await expect
      .poll(
        () => {
          bus.send(2, 'word', 'lost')
          return lines.length
        },
        { timeout: 10_000 },
      )
      .toBe(1)
    expect(lines[0]).toMatchObject({ subject: 'aa.node.2' })
    await triedAgain()
    expect(bus.isUp).toBe(false)
    expect(lines).toHaveLength(1)

    await configOf({ publish: '"aa.>"', subscribe: '"aa.>"' }, config)
    server.reload()
    await expect.poll(() => bus.isUp, { timeout: 10_000 }).toBe(true)
  })

  test('an address where something else answers is named, and no connection to it stays open', async () => {
    const other = createServer((_request, response) => response.end()).listen(0, '127.0.0.1')
    const silent = createSilentServer().listen(0, '127.0.0.1')
    const talkative = createSilentServer((socket) => socket.on('error', () => undefined).end('220 mail ready\r\n'))
    talkative.listen(0, '127.0.0.1')
    await Promise.all(
      [other, silent, talkative].map(async (server) => server.listening || (await once(server, 'listening'))),
    )
    opened.push(silent, talkative)
    const urlOf = (server: Server) => `nats://127.0.0.1:${(server.address() as { port: number }).port}`
    let connections = 0
    silent.on('connection', (socket) => {
      connections++
      socket.on('close', () => connections--)
    })

    const wrong = await openBus({ url: urlOf(talkative) })
    expect(wrong.lines[0]).toMatchObject({ reason: 'what answers there is not NATS' })
    const hung = await openBus({ url: urlOf(silent) })
    expect(hung.lines[0]).toMatchObject({ reason: 'no answer within 5000 ms' })
    await hung.bus.close()
    await expect.poll(() => connections).toBe(0)
    other.close()
  })

  test('a server that stands still: what has no room is dropped, memory is bounded, and it goes on', async () => {
    const server = await startServer([])
    const [one, two] = [await openBus({ url: server.url }, 1), await openBus({ url: server.url }, 2)]
    let received = 0
    two.bus.on('word', () => received++)

    server.pause()
    for (let round = 0; round < 40; round++) {
      for (let count = 0; count < 10; count++) one.bus.send(2, 'word', Buffer.alloc(100_000))
      await new Promise(setImmediate)
    }
    expect(one.bus.counts.dropped).toBeGreaterThan(250)
    expect(one.bus.counts.sent).toBeLessThan(40)
    server.resume()

    const before = received
    await expect
      .poll(() => {
        one.bus.send(2, 'word', 'next')
        return received
      })
      .toBeGreaterThan(before)
  })
})
