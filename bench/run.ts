/** `npm run bench`: measures each row on ours, its floor and its peer in turn, and prints one table. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { endProgramsOnSignal } from './process/forked.ts'
import { thisMachine } from './process/machine.ts'
import { type JudgedLine, judge } from './report/judge.ts'
import { table } from './report/table.ts'
import type { Bench, Row, Samples } from './row.ts'
import { allRows } from './rows/all.ts'
import { fullScale, quickScale } from './scale.ts'

const help = `npm run bench -- [options]
  --row NAME    only this row; may be given several times. Rows: ${allRows.map(({ name }) => name).join(', ')}
  --runs N      measurements of each contestant (default 5; --quick 1)
  --quick       tiny amounts of work: shows that the benchmark runs, its figures mean nothing
  --json FILE   where the results go (default bench/results/<time>.json)
`

const { values } = parseArgs({
  options: {
    row: { type: 'string', multiple: true },
    runs: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write(help)
  process.exit(0)
}

const runs = Number(values.runs ?? (values.quick ? 1 : 5))
if (!Number.isInteger(runs) || runs < 1) fail(`--runs takes a number from 1 on, not ${values.runs}`)
const rows = chosenRows(values.row)
installPeers()
endProgramsOnSignal()
const machine = thisMachine()
const bench: Bench = { runs, scale: values.quick ? quickScale : fullScale, say: (line) => say(`    ${line}`) }

say(
  `${machine.processor}, ${machine.cores} cores, Node.js ${machine.node}, load before ${machine.loadBefore.toFixed(2)}`,
)
const measured: { row: Row; samples: Samples; lines: JudgedLine[]; failure?: string }[] = []
for (const row of rows) {
  say(`\n${row.name}: ${row.what}`)
  let samples: Samples = {}
  let failure: string | undefined
  try {
    samples = await row.measure(bench)
  } catch (error) {
    // A quarter of an hour of other rows is not thrown away with it.
    failure = error instanceof Error ? error.message : String(error)
    process.exitCode = 1
    say(`    FAILED: ${failure}`)
  }
  const lines = row.lines.map((line) => judge({ ...line, label: `${row.name}: ${line.label}` }, samples))
  measured.push({ row, samples, lines, ...(failure !== undefined && { failure }) })
}
const lines = measured.flatMap((result) => result.lines)
process.stdout.write(`\n${table(lines)}\n\nMedian of ${runs} runs [least–greatest]; ratios are of neighbouring runs.\n`)
const file = values.json ?? join('bench', 'results', `${new Date().toISOString().replaceAll(':', '-')}.json`)
await mkdir(dirname(file), { recursive: true })
await writeFile(
  file,
  `${JSON.stringify({ machine, runs, isQuick: values.quick, rows: measured.map(asResult) }, null, 2)}\n`,
)
process.stdout.write(`Results: ${file}\n`)

function chosenRows(names: string[] | undefined): readonly Row[] {
  if (!names) return allRows.filter((row) => !row.isOnRequest)
  const unknown = names.find((name) => !allRows.some((row) => row.name === name))
  if (unknown !== undefined) fail(`there is no row ${unknown}\n\n${help}`)
  return allRows.filter((row) => names.includes(row.name))
}

/** The peers are packages of the benchmark alone, installed by its own lock file when they are first needed. */
function installPeers(): void {
  const folder = import.meta.dirname
  // npm writes it last: an interrupted installation has none.
  if (existsSync(join(folder, 'node_modules', '.package-lock.json'))) return
  say('installing the peers')
  execFileSync('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund'], { stdio: ['ignore', 'ignore', 'inherit'] })
}

function asResult({ row, ...result }: (typeof measured)[number]): object {
  return { name: row.name, what: row.what, ...result }
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`)
  process.exit(2)
}
