/** `npm run long -- failover --rounds 10 --seed 1`: the primary of the database is lost under load; exits with 1 where something was lost or doubled, or a turn came late. */
import { parseArgs } from 'node:util'
import { systemPostgres } from '../support/postgres-servers.ts'
import { failoverRounds } from './rounds.ts'

/** From the promotion to the next turn. */
const secondsMax = 5

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '10' }, seed: { type: 'string' } } })
const seed = Number(values.seed ?? Date.now() % 1_000_000)
if (systemPostgres() === undefined)
  throw new Error('PostgreSQL with pg_basebackup is needed: apt-get install postgresql')

process.stdout.write(`seed ${seed}\n`)
const result = await failoverRounds({
  rounds: Number(values.rounds),
  seed,
  onRound: (line) => process.stdout.write(`${new Date().toISOString().slice(14, 23)} ${line}\n`),
})
const of = (figures: readonly number[]) => {
  const sorted = figures.toSorted((one, other) => one - other)
  return { p50: sorted[Math.floor(sorted.length / 2)], max: sorted.at(-1) }
}
const { secondsToTurn, secondsDark, secondsToCall, ...counts } = result
const times = { secondsToTurn: of(secondsToTurn), secondsToCall: of(secondsToCall), secondsDark: of(secondsDark) }
process.stdout.write(`${JSON.stringify({ ...counts, ...times }, null, 2)}\n`)
const isLate = Math.max(...secondsToTurn) > secondsMax
if (isLate) process.stdout.write(`a turn came later than ${secondsMax} s after the promotion\n`)
const { wrongs, lost, doubled, outOfOrder } = counts
process.exitCode = wrongs.length === 0 && lost + doubled + outOfOrder === 0 && !isLate ? 0 : 1
