/** One rate over several nodes: whichever of them is asked, and whatever the way between them loses. */
import { beforeEach, describe, expect, it } from 'vitest'
import { keyRates, type RateDecision, type RateLimiter } from '../../../http/auth/rate-limiter.ts'
import { ratesOfNodes } from '../../../http/auth/rates-of-nodes.ts'
import { newApiKeyId } from '../../../store/id.ts'
import { type BusBetween, busBetween } from '../../support/lossy-bus.ts'
import { type VirtualClock, virtualClock } from '../../support/virtual-clock.ts'
import { principal } from '../support/server.ts'

let between: BusBetween
let clock: VirtualClock
let owner: number | undefined
let nodes: RateLimiter[]
beforeEach(() => {
  between = busBetween()
  clock = virtualClock()
  owner = 1
  nodes = [1, 2, 3].map((node) =>
    ratesOfNodes({
      own: keyRates(clock),
      bus: between.of(node),
      nodes: { node, of: () => undefined, isCurrent: true, ownerOf: () => owner } as never,
      clock,
    }),
  )
})

const limited = (rpm: number) => ({ ...principal('chat'), rateLimitRpm: rpm, keyId: newApiKeyId() })

/** So many at once at each node. @returns how many were allowed */
async function ask(count: number, who = limited(5)): Promise<number> {
  const taken = nodes.flatMap((node) => Array.from({ length: count }, () => node.take(who)))
  await clock.advance(250)
  return (await Promise.all(taken)).filter((decision) => decision?.isAllowed).length
}

describe('a rate over three nodes', () => {
  for (const rpm of [1, 5, 60, 600]) {
    it(`of ${rpm} a minute lets exactly so many pass, however many come at once`, async () => {
      expect(await ask(rpm, limited(rpm))).toBe(rpm)
    })
  }

  it('above 6000 is one rate too', async () => {
    // A tenth of a minute's may come at once.
    expect(await ask(1_000, limited(8_000))).toBeLessThanOrEqual(840)
  })

  it('says the same everywhere of what is left', async () => {
    const who = limited(10)
    const left: (number | undefined)[] = []
    for (const node of nodes) {
      const taken = node.take(who)
      await clock.settle()
      left.push(((await taken) as RateDecision).remaining)
    }
    expect(left).toEqual([9, 8, 7])
  })

  it('counts on the key behind it too, which may be counted elsewhere', async () => {
    const maker = newApiKeyId()
    const who = { ...limited(100), sharedRates: [{ keyId: maker, rateLimitRpm: 4 }] }
    expect(await ask(10, who)).toBe(4)
  })

  it('is each node’s own while the others do not answer: never a refusal, never a wait beyond a quarter of a second', async () => {
    between.loses = () => true
    expect(await ask(10)).toBe(15)
  })

  it('of nobody’s slot is counted where it arrives', async () => {
    owner = undefined
    expect(await ask(10)).toBe(15)
  })
})

it('nothing that is not of its form is answered or believed', async () => {
  const bus = between.of(9)
  const answers: unknown[] = []
  bus.on('rate.taken', (message) => answers.push(message))
  const bad = [
    null,
    1,
    {},
    { id: 1, key: 'k', limit: 0 },
    { id: 1, key: 'k'.repeat(201), limit: 1 },
    { id: -1, key: 'k', limit: 1 },
  ]
  for (const message of bad) bus.send(1, 'rate.take', message)
  for (const message of [...bad, { id: 1, decision: null }, { id: 1, decision: { isAllowed: 1 } }])
    bus.send(2, 'rate.taken', message)
  await clock.settle()
  expect(answers).toEqual([])
  expect(await ask(10)).toBe(5)
})

it('an answer of a node that was not asked is nobody’s', async () => {
  between.loses = (from, to) => from === 1 && to === 2
  const who = limited(1)
  const taken = nodes[1]?.take(who)
  const decision = { isAllowed: false, limit: 1, remaining: 0, resetS: 60, retryAfterS: 60 }
  between.of(9).send(2, 'rate.taken', { id: 1, decision })
  await clock.advance(250)
  expect(await taken).toMatchObject({ isAllowed: true })
})
