/** A round of each crash test, so that it works when it is wanted; `npm run crash` does as many as one wants. */
import { expect, test } from 'vitest'
import { crashRounds } from '../crash/rounds.ts'

const rounds = 1
const sendersCount = 3

test('kill -9 of the service or of PostgreSQL, at random instants under load, loses, doubles and hangs up nothing', async () => {
  const result = await crashRounds({ rounds, seed: 20_261_121, sendersCount })
  expect(result.wrongs, `seed ${result.seed}, see ${result.folder}`).toEqual([])
  expect(result.accepted).toBeGreaterThan(0)
  expect(result.delivered).toBe(result.accepted)
}, 240_000)

test('kill -9 while tools run makes no effect twice, and ends every turn', async () => {
  const result = await crashRounds({ rounds, seed: 20_261_122, hasTools: true, sendersCount })
  expect(result.wrongs, `seed ${result.seed}, see ${result.folder}`).toEqual([])
  expect(result.delivered).toBe(result.accepted)
  expect(result.counts['effects']).toBeGreaterThan(0)
}, 240_000)
