/** The limits on guessing passwords, on virtual time: who waits, for whom, how long, and who never does. */
import { describe, expect, it } from 'vitest'
import { type LoginLimit, loginLimit } from '../../../http/auth/login-limit.ts'
import { minutes } from '../../../runtime/time/duration.ts'
import { busBetween } from '../../support/lossy-bus.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

function limited() {
  const clock = virtualClock()
  const limit = loginLimit(clock)
  /** Failures, each as soon as it is allowed. @returns the waits after each, in seconds */
  async function failures(count: number, addressOf: (at: number) => string, accountOf: (at: number) => string) {
    const waits: number[] = []
    for (let at = 0; at < count; at++) {
      const [address, account] = [addressOf(at), accountOf(at)]
      await clock.advance(limit.retryAfterMs(address, account))
      limit.failed(address, account)
      waits.push(limit.retryAfterMs(address, account) / 1_000)
    }
    return waits
  }
  return { clock, limit, failures }
}

describe('an address that guesses', () => {
  it('waits longer after each failure past the fifth, and a quarter of an hour at most', async () => {
    const { failures } = limited()
    const waits = await failures(
      18,
      () => 'a',
      (at) => `login ${at}`,
    )
    expect(waits.slice(0, 9)).toEqual([0, 0, 0, 0, 0, 1, 2, 4, 8])
    expect(Math.max(...waits)).toBe(900)
    expect(waits.at(-1)).toBe(900)
  })

  it('gains nothing by guessing at another account each time, nor by waiting a little', async () => {
    const { clock, limit, failures } = limited()
    await failures(
      12,
      () => 'a',
      (at) => `login ${at}`,
    )
    await clock.advance(minutes(29))
    limit.failed('a', 'one more')
    expect(limit.retryAfterMs('a', 'any')).toBe(128_000)
  })

  it('is forgiven after half an hour without a failure', async () => {
    const { clock, limit, failures } = limited()
    await failures(
      12,
      () => 'a',
      (at) => `login ${at}`,
    )
    await clock.advance(minutes(30) + 1)
    limit.failed('a', 'login')
    expect(limit.retryAfterMs('a', 'login')).toBe(0)
  })
})

describe('an account that many addresses guess at', () => {
  it('makes unknown addresses wait, for a minute at most', async () => {
    const { failures } = limited()
    const waits = await failures(
      30,
      (at) => `address ${at}`,
      () => 'ada',
    )
    expect(waits.slice(0, 13)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4])
    expect(Math.max(...waits)).toBe(60)
  })

  it('is not locked for its owner, who signed in from there before', async () => {
    const { limit, failures } = limited()
    limit.succeeded('home', 'ada')
    await failures(
      100,
      (at) => `address ${at}`,
      () => 'ada',
    )
    expect(limit.retryAfterMs('elsewhere', 'ada')).toBeGreaterThan(0)
    expect(limit.retryAfterMs('home', 'ada')).toBe(0)
  })

  it('leaves other accounts alone', async () => {
    const { limit, failures } = limited()
    await failures(
      100,
      (at) => `address ${at}`,
      () => 'ada',
    )
    expect(limit.retryAfterMs('elsewhere', 'bob')).toBe(0)
  })
})

describe('an address that an account is known from', () => {
  it('waits for its own failures like any other', async () => {
    const { limit, failures } = limited()
    limit.succeeded('home', 'ada')
    expect(
      (
        await failures(
          7,
          () => 'home',
          () => 'ada',
        )
      ).slice(-2),
    ).toEqual([1, 2])
    limit.succeeded('home', 'ada')
    expect(limit.retryAfterMs('home', 'ada')).toBe(0)
  })

  it('makes nobody else wait', async () => {
    const { limit, failures } = limited()
    limit.succeeded('home', 'ada')
    await failures(
      20,
      () => 'home',
      () => 'ada',
    )
    expect(limit.retryAfterMs('elsewhere', 'ada')).toBe(0)
  })
})

it('remembers no more than its bound: the oldest failures are forgotten first', () => {
  const { limit } = limited()
  for (let failure = 0; failure < 8; failure++) limit.failed('first', 'first')
  expect(limit.retryAfterMs('first', 'other')).toBeGreaterThan(0)
  for (let at = 0; at < 20_000; at++) limit.failed(`address ${at}`, `login ${at}`)
  expect(limit.retryAfterMs('first', 'other')).toBe(0)
})

describe('attempts that are under way', () => {
  it('count: of many at once no more are let through than may fail', () => {
    const { limit } = limited()
    const leaves: (() => void)[] = []
    while (limit.retryAfterMs('a', `login ${leaves.length}`) === 0)
      leaves.push(limit.begin('a', `login ${leaves.length}`))
    expect(leaves).toHaveLength(6)
    expect(limit.retryAfterMs('a', 'any')).toBe(1_000)
    for (const leave of leaves) {
      limit.failed('a', 'any')
      leave()
    }
    expect(limit.retryAfterMs('a', 'another')).toBe(1_000)
    expect(limit.retryAfterMs('b', 'another')).toBe(0)
  })

  it('from many addresses at one account count too, and do not keep out who is known there', () => {
    const { limit } = limited()
    limit.succeeded('home', 'ada')
    let count = 0
    while (limit.retryAfterMs(`address ${count}`, 'ada') === 0 && count < 100) limit.begin(`address ${count++}`, 'ada')
    expect(count).toBe(11)
    expect(limit.retryAfterMs('home', 'ada')).toBe(0)
  })

  it('leave nothing behind when they are decided', () => {
    const { limit } = limited()
    for (let attempt = 0; attempt < 100; attempt++) limit.begin('a', 'ada')()
    expect(limit.retryAfterMs('a', 'ada')).toBe(0)
  })
})

it('all addresses of one IPv6 network are one guesser, and those of another are not', () => {
  const { limit } = limited()
  for (let guess = 0; guess < 8; guess++) limit.failed(`2001:db8:0:1::${guess + 1}`, `login ${guess}`)
  expect(limit.retryAfterMs('2001:db8:0:1:ffff::9', 'any')).toBeGreaterThan(0)
  expect(limit.retryAfterMs('2001:db8:0:2::1', 'any')).toBe(0)
  for (let guess = 0; guess < 8; guess++) limit.failed('::ffff:192.0.2.1', `login ${guess}`)
  expect(limit.retryAfterMs('192.0.2.1', 'any')).toBeGreaterThan(0)
})

it('what is guessed at one node counts at each, once', async () => {
  const clock = virtualClock()
  const between = busBetween()
  const [one, two] = [1, 2].map((node) => loginLimit(clock, between.of(node))) as [LoginLimit, LoginLimit]
  for (let guess = 0; guess < 3; guess++) for (const limit of [one, two]) limit.failed('a', 'ada')
  for (const bad of [null, 7, { network: 'a' }, { network: 'a', account: 'a'.repeat(501), hasSucceeded: false }])
    between.of(9).broadcast('login.decided', bad)
  await clock.settle()
  expect([one, two].map((limit) => limit.retryAfterMs('a', 'ada'))).toEqual([1_000, 1_000])
  one.succeeded('a', 'ada')
  await clock.settle()
  expect(two.retryAfterMs('a', 'ada')).toBe(0)
})
