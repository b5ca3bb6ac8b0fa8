/** What every way between nodes has to do, whatever carries the messages. */
import { createSecretKey, randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { encodedMessage, sealMessages, sealPiece } from '../../../../gateway/bus/envelope.ts'
import { busOverWire } from '../../../../gateway/bus/over-wire.ts'
import type { OpenWire } from '../../../../gateway/bus/wire.ts'
import type { Bus } from '../../../../runtime/nodes/bus.ts'
import { type RecordedLine, recordingLog } from '../../../support/recording-log.ts'

/** What carries the messages of one installation. */
export interface Carrier {
  wire(epoch: number, log: ReturnType<typeof recordingLog>['log']): OpenWire
  /** Of another installation, which shares what can be shared. */
  foreignWire(epoch: number, log: ReturnType<typeof recordingLog>['log']): OpenWire
  /** Puts bytes where this node takes its messages from. */
  inject(epoch: number, bytes: Buffer): Promise<void>
  breakDown(): Promise<void>
  repair(): Promise<void>
  close(): Promise<void>
}

export interface Node {
  bus: Bus
  lines: RecordedLine[]
}

export const testBusKey = createSecretKey(Buffer.alloc(32, 7))

export interface Nodes {
  carrier(): Carrier
  open(options?: { epoch?: number; isForeign?: boolean; waitingBytesMax?: number }): Promise<Node & { epoch: number }>
}

/** Nodes of one test, closed after it. */
export function nodes(openCarrier: () => Promise<Carrier>): Nodes {
  let carrier: Carrier
  let opened: Bus[] = []
  let lastEpoch = 0
  beforeAll(async () => {
    carrier = await openCarrier()
  })
  afterEach(async () => {
    await Promise.all(opened.map((bus) => bus.close()))
    opened = []
  })
  afterAll(() => carrier.close())
  return {
    carrier: () => carrier,
    async open({ epoch = ++lastEpoch, isForeign = false, waitingBytesMax } = {}) {
      lastEpoch = Math.max(lastEpoch, epoch)
      const { log, lines } = recordingLog('info')
      const wire = isForeign ? carrier.foreignWire(epoch, log) : carrier.wire(epoch, log)
      const bus = await busOverWire(wire, { epoch, key: testBusKey, log, ...(waitingBytesMax && { waitingBytesMax }) })
      opened.push(bus)
      return { bus, lines, epoch }
    },
  }
}

export function conformance(name: string, { open, carrier }: Nodes): void {
  /** What a node hears of this kind, as it comes. */
  function heard<Body = unknown>(bus: Bus, kind = 'word'): Body[] {
    const bodies: Body[] = []
    bus.on(kind, (body) => bodies.push(body as Body))
    return bodies
  }

  describe(name, () => {
    test('messages of one sender arrive in its order, whether to one or to all', async () => {
      const [one, two, three] = [await open(), await open(), await open()]
      const atTwo = heard<number>(two.bus)
      const atThree = heard<number>(three.bus)

      for (let number = 0; number < 3_000; number++) {
        if (number % 3 === 0) one.bus.broadcast('word', number)
        else one.bus.send(number % 3 === 1 ? two.epoch : three.epoch, 'word', number)
        if (number % 100 === 0) await nextTurn()
      }

      const numbers = Array.from({ length: 3_000 }, (_, number) => number)
      await expect.poll(() => atTwo.length + atThree.length).toBe(4_000)
      expect(atTwo).toEqual(numbers.filter((number) => number % 3 !== 2))
      expect(atThree).toEqual(numbers.filter((number) => number % 3 !== 1))
      expect(one.bus.counts).toEqual({ sent: 3_000, received: 0, dropped: 0, refused: 0, lost: 0 })
      expect(two.bus.counts).toEqual({ sent: 0, received: 2_000, dropped: 0, refused: 0, lost: 0 })
    })

    test('an answer finds its way back by the number of the sender', async () => {
      const [one, two] = [await open(), await open()]
      two.bus.on('question', (body, from) => two.bus.send(from, 'answer', { to: body }))
      const answers: unknown[] = []
      one.bus.on('answer', (body, from) => answers.push([from, body]))

      one.bus.send(two.epoch, 'question', 6)

      await expect.poll(() => answers).toEqual([[two.epoch, { to: 6 }]])
    })

    test('plain data arrives as it was, and a field called __proto__ changes no prototype', async () => {
      const [one, two] = [await open(), await open()]
      const bodies = heard<Record<string, unknown>>(two.bus)
      const body = {
        ...{ text: 'ёлка', none: null, missing: undefined, at: new Date(1_700_000_000_123), yes: true },
        ...{ numbers: [0, -1, 2 ** 40, 1.5, -(2 ** 33)], bytes: Buffer.from([1, 2, 3]), toJSON: 'a text' },
      }

      one.bus.send(two.epoch, 'word', body)
      one.bus.send(two.epoch, 'word', JSON.parse('{"__proto__": {"isOwner": true}, "constructor": {"prototype": 1}}'))

      await expect.poll(() => bodies.length).toBe(2)
      expect(bodies[0]).toEqual(body)
      expect(Object.getPrototypeOf(bodies[1])).toBe(Object.prototype)
      expect(bodies[1]?.['isOwner']).toBeUndefined()
    })

    test('two installations do not hear each other', async () => {
      const [one, two] = [await open(), await open()]
      const stranger = await open({ isForeign: true })
      const double = await open({ isForeign: true, epoch: two.epoch })
      const atStranger = heard(stranger.bus)
      const atDouble = heard(double.bus)
      const atTwo = heard(two.bus)

      stranger.bus.broadcast('word', 'theirs')
      stranger.bus.send(two.epoch, 'word', 'theirs')
      one.bus.broadcast('word', 'ours')
      one.bus.send(two.epoch, 'word', 'ours')

      await expect
        .poll(() => [atTwo, atDouble])
        .toEqual([
          ['ours', 'ours'],
          ['theirs', 'theirs'],
        ])
      expect(atStranger).toEqual([])
      expect(two.bus.counts.refused).toBe(0)
    })

    test('a large message arrives in pieces, between small ones; one above 32 MiB is dropped', async () => {
      const [one, two] = [await open(), await open()]
      const bodies = heard<Uint8Array | string>(two.bus)
      const large = randomBytes(5_000_000)

      one.bus.send(two.epoch, 'word', 'before')
      one.bus.send(two.epoch, 'word', large)
      one.bus.send(two.epoch, 'word', Buffer.alloc(33 * 1024 * 1024))
      one.bus.send(two.epoch, 'word', 'after')

      await expect.poll(() => bodies.length).toBe(3)
      expect([bodies[0], bodies[2]]).toEqual(['before', 'after'])
      expect(large.equals(bodies[1] as Uint8Array)).toBe(true)
      expect(one.bus.counts).toMatchObject({ sent: 3, dropped: 1 })
      expect(two.bus.counts).toMatchObject({ received: 3, refused: 0, lost: 0 })
    })

    test('what the queue has no room for is dropped and counted, and the rest arrives', async () => {
      const one = await open({ waitingBytesMax: 100_000 })
      const two = await open()
      const bodies = heard<{ number: number }>(two.bus)

      for (let number = 0; number < 1_000; number++)
        one.bus.send(two.epoch, 'word', { number, text: 'x'.repeat(1_000) })

      const { dropped } = one.bus.counts
      expect(dropped).toBeGreaterThan(850)
      await expect.poll(() => bodies.length).toBe(1_000 - dropped)
      one.bus.send(two.epoch, 'word', { number: 1_000 })
      await expect.poll(() => bodies.at(-1)).toEqual({ number: 1_000 })
      expect(one.bus.counts).toMatchObject({ dropped, sent: 1_001 - dropped })
      expect(two.bus.counts.lost).toBe(0)
    })

    test('what is no plain data is dropped with a line, and neither thrown nor sent', async () => {
      const [one, two] = [await open(), await open()]
      const bodies = heard(two.bus)
      const circle: Record<string, unknown> = {}
      circle['self'] = circle

      one.bus.send(two.epoch, 'word', circle)
      one.bus.send(two.epoch, 'word', 'next')

      await expect.poll(() => bodies).toEqual(['next'])
      expect(one.bus.counts).toMatchObject({ sent: 1, dropped: 1 })
      expect(one.lines).toEqual([expect.objectContaining({ msg: expect.stringContaining('no plain data') })])
    })

    test('garbage, a wrong key, another version, an old number, another receiver: counted and ignored', async () => {
      const two = await open()
      const bodies = heard(two.bus)
      const head = { from: 900_001, to: two.epoch, number: 5, count: 1 }
      const good = [encodedMessage('word', 'good')]
      const sealed = sealMessages(testBusKey, head, good)
      const otherVersion = Buffer.from(sealed)
      otherVersion[0] = 2
      const changed = Buffer.from(sealed)
      changed[30] = (changed[30] ?? 0) ^ 1
      const bad = [
        ...[Buffer.alloc(0), randomBytes(20), randomBytes(54), randomBytes(5_000), otherVersion, changed],
        sealed.subarray(0, -1),
        sealMessages(createSecretKey(Buffer.alloc(32, 8)), head, good),
        sealMessages(testBusKey, { ...head, to: two.epoch + 1 }, good),
        sealMessages(testBusKey, { ...head, from: two.epoch }, good),
        sealMessages(testBusKey, { ...head, count: 2 }, good),
        sealPiece(testBusKey, head, Buffer.alloc(10), { offset: 10, bytesTotal: 20 }),
      ]

      for (const bytes of bad) await carrier().inject(two.epoch, bytes)
      await carrier().inject(two.epoch, sealed)
      await carrier().inject(two.epoch, sealed)
      await carrier().inject(two.epoch, sealMessages(testBusKey, { ...head, number: 4 }, good))
      await carrier().inject(two.epoch, sealMessages(testBusKey, { ...head, number: 6 }, good))

      await expect.poll(() => bodies).toEqual(['good', 'good'])
      expect(two.bus.counts).toMatchObject({ received: 2, refused: bad.length + 2, lost: 0 })
    })

    test('an unknown kind, and a body that is nested too deep, are counted and ignored, and cost no other message', async () => {
      const [one, two] = [await open(), await open()]
      const bodies = heard(two.bus)
      let deep: unknown = []
      for (let depth = 0; depth < 70; depth++) deep = [deep]

      one.bus.send(two.epoch, 'of a later version', 1)
      one.bus.send(two.epoch, 'word', deep)
      one.bus.send(two.epoch, 'word', 'next')

      await expect.poll(() => bodies).toEqual(['next'])
      expect(two.bus.counts).toMatchObject({ received: 1, refused: 2, lost: 0 })
    })

    test('what was lost on the way is counted by the gap in the numbers', async () => {
      const two = await open()
      const bodies = heard(two.bus)
      const message = encodedMessage('word', 'x')
      const frame = (number: number, count: number) =>
        sealMessages(testBusKey, { from: 900_002, to: two.epoch, number, count }, Array(count).fill(message))

      await carrier().inject(two.epoch, frame(10, 2))
      await carrier().inject(two.epoch, frame(15, 1))
      await carrier().inject(
        two.epoch,
        sealPiece(testBusKey, { from: 900_002, to: two.epoch, number: 16, count: 1 }, message, {
          ...{ offset: 0, bytesTotal: 1_000 },
        }),
      )
      await carrier().inject(two.epoch, frame(17, 1))

      await expect.poll(() => bodies.length).toBe(4)
      expect(two.bus.counts).toMatchObject({ received: 4, refused: 0, lost: 4 })
    })

    test('half-received messages are bounded', async () => {
      const two = await open()
      const bodies = heard(two.bus)
      for (let from = 910_000; from < 910_020; from++) {
        const head = { from, to: two.epoch, number: 1, count: 1 }
        const place = { offset: 0, bytesTotal: 20 * 1024 * 1024 }
        await carrier().inject(two.epoch, sealPiece(testBusKey, head, Buffer.alloc(100), place))
      }
      await expect.poll(() => two.bus.counts.refused).toBe(17)
      expect(bodies).toEqual([])
    })

    test('a listener that throws is logged, and the next message arrives', async () => {
      const [one, two] = [await open(), await open()]
      const bodies: unknown[] = []
      two.bus.on('word', (body) => {
        bodies.push(body)
        throw new Error('of the listener')
      })
      one.bus.send(two.epoch, 'word', 1)
      one.bus.send(two.epoch, 'word', 2)
      await expect.poll(() => bodies).toEqual([1, 2])
      await expect.poll(() => two.lines.filter(({ level }) => level === 50).length).toBe(2)
    })

    test('the server goes and comes back: both say so with one line each, and messages flow again', async () => {
      const [one, two] = [await open(), await open()]
      const bodies = heard<string>(two.bus)
      const states: boolean[] = []
      one.bus.onState((isUp) => states.push(isUp))
      one.bus.send(two.epoch, 'word', 'before')
      await expect.poll(() => bodies).toEqual(['before'])

      await carrier().breakDown()
      await expect.poll(() => [one.bus.isUp, two.bus.isUp]).toEqual([false, false])
      one.bus.send(two.epoch, 'word', 'meanwhile')
      const late = await open()
      expect(late.bus.isUp).toBe(false)
      await carrier().repair()
      await expect.poll(() => [one.bus.isUp, two.bus.isUp, late.bus.isUp]).toEqual([true, true, true])

      const atLate = heard<string>(late.bus)
      await expect
        .poll(() => {
          one.bus.broadcast('word', 'after')
          return [bodies.includes('after'), atLate.includes('after')]
        })
        .toEqual([true, true])
      expect(bodies).not.toContain('meanwhile')
      expect(one.bus.counts.dropped).toBe(1)
      expect(states).toEqual([false, true])
      expect(one.lines.map(({ level }) => level)).toEqual([40, 30])
    })

    test('closed, a bus sends what waits, then leaves nothing behind and takes no more', async () => {
      const two = await open()
      const bodies = heard(two.bus)
      const before = handles()
      const one = await open()
      await expect.poll(() => one.bus.isUp).toBe(true)
      one.bus.send(two.epoch, 'word', 'last words')

      await one.bus.close()
      one.bus.send(two.epoch, 'word', 'too late')

      await expect.poll(() => bodies).toEqual(['last words'])
      expect(one.bus.counts).toMatchObject({ sent: 1, dropped: 1 })
      await expect.poll(handles).toBe(before)
    })
  })
}

/** Open sockets. Pools that others share may close an idle one meanwhile. */
function handles(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
}
