import fc from 'fast-check'
import { expect, test } from 'vitest'
import { msgpack } from '../../../runtime/actor/codec.ts'
import { LinkFull, type Links, type LinksOptions, openLinks } from '../../../runtime/nodes/links.ts'
import { busBetween } from '../../support/lossy-bus.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

interface End {
  links: Links
  heard: unknown[]
  cuts: number[]
}

function pair(limits: Pick<LinksOptions, 'bytesMax' | 'messagesMax'> = {}) {
  const clock = virtualClock()
  const between = busBetween()
  const open = (node: number): End => {
    const links = openLinks({ bus: between.of(node), codec: msgpack, clock, log: recordingLog().log, ...limits })
    const end: End = { links, heard: [], cuts: [] }
    links.onMessage((message) => end.heard.push(message))
    links.onCut((other) => end.cuts.push(other))
    return end
  }
  return { clock, between, one: open(1), two: open(2) }
}

const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, at) => ({ n: from + at }))

test('whatever the bus loses, each message arrives once and in order, both ways', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }), fc.nat(40), async (losses, count) => {
      const { clock, between, one, two } = pair()
      let at = 0
      between.loses = () => losses[at++] === true
      for (const message of numbered(count)) {
        one.links.send(2, message)
        two.links.send(1, message)
        if (message.n % 7 === 0) await clock.advance(60)
      }
      await clock.advance(15_000)
      expect(two.heard).toEqual(numbered(count))
      expect(one.heard).toEqual(numbered(count))
      expect([one.cuts, two.cuts]).toEqual([[], []])
    }),
    { numRuns: propertyRuns(40) },
  )
})

test('a node that does not answer is given up, both sides learn of it, and what is sent later arrives', async () => {
  const { clock, between, one, two } = pair()
  one.links.send(2, { n: 'before' })
  await clock.advance(500)
  between.loses = () => true
  one.links.send(2, { n: 'lost' })
  await clock.advance(12_000)
  expect(one.cuts).toEqual([2])
  between.loses = () => false
  one.links.send(2, { n: 'after' })
  await clock.advance(500)
  expect(two.heard).toEqual([{ n: 'before' }, { n: 'after' }])
  expect(two.cuts).toEqual([1])
})

test('what waits for a node has a bound: past it everything under way is lost, and said to be', async () => {
  const { clock, between, one, two } = pair({ messagesMax: 100 })
  between.loses = () => true
  for (const message of numbered(101)) one.links.send(2, message)
  expect(one.cuts).toEqual([2])
  between.loses = () => false
  for (const message of numbered(50, 200)) one.links.send(2, message)
  await clock.advance(1_000)
  expect(two.heard).toEqual(numbered(50, 200))
})

test('what comes from outside is refused before the rest is cut for it, and so is what is too large for any way', async () => {
  const { clock, one, two } = pair({ messagesMax: 20 })
  const refused: unknown[] = []
  for (const message of numbered(15)) {
    try {
      one.links.send(2, message, true)
    } catch (error) {
      refused.push(error)
    }
  }
  for (const message of numbered(10, 10)) one.links.send(2, message)
  expect(refused).toHaveLength(5)
  expect(refused[0]).toBeInstanceOf(LinkFull)
  expect(() => one.links.send(2, { text: 'x'.repeat(32 * 1_048_576) })).toThrow(LinkFull)
  await clock.advance(500)
  expect(two.heard).toEqual(numbered(20))
  expect(one.cuts).toEqual([])
})

test('more bytes than may be under way at once arrive all the same', async () => {
  const { clock, one, two } = pair()
  const large = { text: 'x'.repeat(1_000_000) }
  for (let at = 0; at < 20; at++) one.links.send(2, large)
  await clock.advance(2_000)
  expect(two.heard).toHaveLength(20)
  expect(one.cuts).toEqual([])
})

test('a node that was taken for dead and is not has forgotten nobody for long', async () => {
  const { clock, one, two } = pair()
  one.links.send(2, { n: 1 })
  two.links.send(1, { n: 1 })
  await clock.advance(500)
  two.links.forget(1)
  expect(two.cuts).toEqual([1])
  one.links.send(2, { n: 'into the void' })
  await clock.advance(500)
  expect(one.cuts).toContain(2)
  one.links.send(2, { n: 2 })
  two.links.send(1, { n: 2 })
  await clock.advance(500)
  expect(two.heard).toEqual([{ n: 1 }, { n: 2 }])
  expect(one.heard).toEqual([{ n: 1 }, { n: 2 }])
})

test('what a node that was taken for dead had heard is not heard again when the other side sends it again', async () => {
  const { clock, between, one, two } = pair()
  // Two hears, and One does not hear that it did.
  between.loses = (from) => from === 2
  one.links.send(2, { n: 1 })
  await clock.advance(100)
  two.links.forget(1)
  between.loses = () => false
  one.links.send(2, { n: 2 })
  await clock.advance(1_000)
  expect(two.heard).toEqual([{ n: 1 }])
  expect(one.cuts).toContain(2)
  one.links.send(2, { n: 3 })
  await clock.advance(1_000)
  expect(two.heard).toEqual([{ n: 1 }, { n: 3 }])
})

test('what is of no known form is ignored', async () => {
  const { clock, between, one, two } = pair()
  const stranger = between.of(3)
  for (const body of [null, 7, 'x', {}, { generation: 1 }, { generation: -1, first: 1, messages: [], ack: {} }])
    stranger.send(2, 'link', body)
  const whole = { generation: 1, first: 1, messages: [new Uint8Array([0xc1])], ack: { generation: 0, upTo: 0 } }
  stranger.send(2, 'link', whole)
  one.links.send(2, { n: 1 })
  await clock.advance(500)
  expect(two.heard.at(-1)).toEqual({ n: 1 })
  expect(two.cuts).toEqual([])
})
