/** `npm run year -- --turns N`: fills the database of a service that is only for measuring with turns and their usage. */
import { parseArgs } from 'node:util'
import { withStore } from '../../cli/connect.ts'
import { fillYear } from './fill.ts'

const help = `npm run year -- --turns N [options]
  --turns N   how many turns, each with its entry of usage (1 to 100,000,000); some 2 GB a million with their sums
  --days N    how many days they are of, until yesterday (default 365, at most 3650)
  --seed N    the same seed, the same turns (default 1)

The database is that of the service: SERVICE_DATABASE_URL, or the built-in one of SERVICE_DATA_DIR. The turns cannot be told from
real ones: only for measuring.
`

const { values } = parseArgs({
  options: {
    turns: { type: 'string' },
    days: { type: 'string', default: '365' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help || values.turns === undefined) {
  process.stdout.write(help)
  process.exit(values.help ? 0 : 1)
}
const turns = wholeNumber('turns', values.turns, 100_000_000)
const days = wholeNumber('days', values.days, 3_650)
const seed = wholeNumber('seed', values.seed, 2_147_483_647)

await withStore(({ db }) => fillYear(db, { turns, days, seed }, (line) => process.stderr.write(`${line}\n`)))

function wholeNumber(name: string, text: string, max: number): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= max) return number
  process.stderr.write(`--${name} takes a whole number from 1 to ${max}, not ${text}\n`)
  process.exit(1)
}
