/** Tokens a minute: held before a call, settled after it, one count over several nodes. */
import { beforeEach, describe, expect, it } from 'vitest'
import { type TokenHold, type TokenRates, tokenRates } from '../../../actors/usage/token-rates.ts'
import { type BusBetween, busBetween } from '../../support/lossy-bus.ts'
import { type VirtualClock, virtualClock } from '../../support/virtual-clock.ts'

const perMinute = (tokensPerMinute: number, key = 'key_a') => ({ key, tokensPerMinute })

let clock: VirtualClock
beforeEach(() => {
  clock = virtualClock()
})

describe('at one node', () => {
  let rates: TokenRates
  beforeEach(() => {
    rates = tokenRates({ clock })
  })

  it('a minute’s tokens are held at once, and flow back evenly', async () => {
    for (let at = 0; at < 6; at++) await rates.hold([perMinute(600)], 100)
    await expect(rates.hold([perMinute(600)], 100)).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
      status: 429,
      retryAfterMs: 10_000,
    })
    await clock.advance(9_000)
    await expect(rates.hold([perMinute(600)], 100)).rejects.toMatchObject({ retryAfterMs: 1_000 })
    await clock.advance(1_000)
    await rates.hold([perMinute(600)], 100)
  })

  it('what was held and not used is given back, and what was used beyond it is waited for', async () => {
    const held = await rates.hold([perMinute(600)], 600)
    await expect(rates.hold([perMinute(600)], 1)).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
    rates.settle(held, 100)
    const second = await rates.hold([perMinute(600)], 500)
    rates.settle(second, 1_100)
    await expect(rates.hold([perMinute(600)], 0)).rejects.toMatchObject({ retryAfterMs: 60_000 })
    await clock.advance(60_000)
    await rates.hold([perMinute(600)], 0)
  })

  it('a call that holds more than a minute has is let in alone', async () => {
    await rates.hold([perMinute(600)], 6_000)
    await expect(rates.hold([perMinute(600)], 1)).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
    await clock.advance(600_000)
    await rates.hold([perMinute(600)], 6_000)
  })

  it('a call that used the tokens of years locks its key for ten minutes', async () => {
    rates.settle(await rates.hold([perMinute(1)], 1), 10_000_000)
    await clock.advance(600_000)
    await rates.hold([perMinute(1)], 1)
  })

  it('a refusal by a later limit gives back what the first has held', async () => {
    const both = [perMinute(600), perMinute(60, 'key_maker')]
    await rates.hold([perMinute(60, 'key_maker')], 60)
    await expect(rates.hold(both, 60)).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
    await rates.hold([perMinute(600)], 600)
  })
})

describe('over three nodes', () => {
  let between: BusBetween
  let nodes: TokenRates[]
  beforeEach(() => {
    between = busBetween()
    nodes = [1, 2, 3].map((node) =>
      tokenRates({
        clock,
        nodes: {
          bus: between.of(node),
          around: { node, of: () => undefined, isCurrent: true, ownerOf: () => 1 } as never,
        },
      }),
    )
  })

  /** So many calls of ten tokens at once at each node. */
  async function held(count: number): Promise<TokenHold[]> {
    const asked = nodes.flatMap((node) => Array.from({ length: count }, () => node.hold([perMinute(600)], 10)))
    const all = Promise.allSettled(asked)
    await clock.advance(250)
    return (await all).flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  }

  it('no more are held than a minute has, however many come at once', async () => {
    expect((await held(100)).length).toBe(60)
  })

  it('what one node settles, another may hold', async () => {
    for (const hold of await held(100)) nodes[2]?.settle(hold, 5)
    await clock.settle()
    expect((await held(100)).length).toBeGreaterThanOrEqual(30)
  })

  it('where the counting node does not answer, each counts for itself', async () => {
    between.loses = () => true
    expect((await held(100)).length).toBe(180)
  })
})
