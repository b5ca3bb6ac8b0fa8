/** Thirty rounds of the crash test; `npm run crash` does as many as one wants. */
import { expect, test } from 'vitest'
import { crashRounds } from '../crash/rounds.ts'

const rounds = 30

test('kill -9 of the service or of PostgreSQL, at thirty random instants under load, loses, doubles and hangs up nothing', async () => {
  const result = await crashRounds({ rounds, seed: 20_261_121 })
  expect(result.wrongs, `seed ${result.seed}, see ${result.folder}`).toEqual([])
  expect(result.accepted).toBeGreaterThan(rounds)
  expect(result.delivered).toBe(result.accepted)
}, 300_000)
