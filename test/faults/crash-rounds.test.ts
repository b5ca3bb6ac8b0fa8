/** A few rounds of the crash test; `npm run crash` does as many as one wants. */
import { expect, test } from 'vitest'
import { crashRounds } from '../crash/rounds.ts'

const rounds = 3
const sendersCount = 3

test('kill -9 of the service or of PostgreSQL, at random instants under load, loses, doubles and hangs up nothing', async () => {
  const result = await crashRounds({ rounds, seed: 20_261_121, sendersCount })
  expect(result.wrongs, `seed ${result.seed}, see ${result.folder}`).toEqual([])
  expect(result.accepted).toBeGreaterThan(rounds)
  expect(result.delivered).toBe(result.accepted)
}, 240_000)

test('kill -9 while tools run makes no effect twice, and ends every turn', async () => {
  const result = await crashRounds({ rounds, seed: 20_261_122, hasTools: true, sendersCount })
  expect(result.wrongs, `seed ${result.seed}, see ${result.folder}`).toEqual([])
  expect(result.delivered).toBe(result.accepted)
  expect(result.effects).toBeGreaterThan(rounds)
}, 240_000)
