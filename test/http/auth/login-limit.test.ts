/** The limits on guessing passwords, on virtual time: who waits, for whom, how long, and who never does. */
import { describe, expect, it } from 'vitest'
import { loginLimit } from '../../../src/http/auth/login-limit.ts'
import { minutes } from '../../../src/runtime/duration.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

function limited() {
  const clock = virtualClock()
  const limit = loginLimit(clock)
  /** Failures, each as soon as it is allowed. @returns the waits after each, in seconds */
  async function failures(count: number, addressOf: (at: number) => string, accountOf: (at: number) => string) {
    const waits: number[] = []
    for (let at = 0; at < count; at++) {
      const [address, account] = [addressOf(at), accountOf(at)]
      await clock.advance(limit.waitMs(address, account))
      limit.failed(address, account)
      waits.push(limit.waitMs(address, account) / 1_000)
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
    expect(limit.waitMs('a', 'any')).toBe(128_000)
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
    expect(limit.waitMs('a', 'login')).toBe(0)
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
    expect(limit.waitMs('elsewhere', 'ada')).toBeGreaterThan(0)
    expect(limit.waitMs('home', 'ada')).toBe(0)
  })

  it('leaves other accounts alone', async () => {
    const { limit, failures } = limited()
    await failures(
      100,
      (at) => `address ${at}`,
      () => 'ada',
    )
    expect(limit.waitMs('elsewhere', 'bob')).toBe(0)
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
    expect(limit.waitMs('home', 'ada')).toBe(0)
  })

  it('makes nobody else wait', async () => {
    const { limit, failures } = limited()
    limit.succeeded('home', 'ada')
    await failures(
      20,
      () => 'home',
      () => 'ada',
    )
    expect(limit.waitMs('elsewhere', 'ada')).toBe(0)
  })
})

it('remembers no more than its bound: the oldest failures are forgotten first', () => {
  const { limit } = limited()
  for (let failure = 0; failure < 8; failure++) limit.failed('first', 'first')
  expect(limit.waitMs('first', 'other')).toBeGreaterThan(0)
  for (let at = 0; at < 20_000; at++) limit.failed(`address ${at}`, `login ${at}`)
  expect(limit.waitMs('first', 'other')).toBe(0)
})
