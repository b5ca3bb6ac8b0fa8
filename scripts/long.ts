/**
 * `npm run long -- NAME [more arguments]`: the runs that are too long for every change. `npm run long` lists them.
 * `.ci/run` makes short ones of the same.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { packageFolder } from '../runtime/package.ts'

type Arguments = readonly string[]

interface LongRun {
  about: string
  run(more: Arguments): Promise<void>
}

const runs: Readonly<Record<string, LongRun>> = {
  crash: {
    about: '200 rounds of kill -9 under load, of the service or its database (27 minutes)',
    run: (more) => command('npm', ['run', 'crash', '--', '--rounds', '200', '--seed', '77', ...more]),
  },
  'crash-tools': {
    about: 'the same in turns that use tools',
    run: (more) => command('npm', ['run', 'crash', '--', '--rounds', '200', '--seed', '78', '--tools', ...more]),
  },
  'crash-nodes': {
    about:
      '200 rounds of every fault of three nodes, their servers and their network (40 minutes); --nats: messages over NATS',
    run: (more) => command('npm', ['run', 'crash', '--', '--rounds', '200', '--seed', '79', '--nodes', '3', ...more]),
  },
  failover: {
    about:
      'the primary of the database lost under load, and its standby promoted, ten times (6 minutes; --rounds, --seed)',
    run: (more) => command('node', ['test/failover/main.ts', ...more]),
  },
  fuzz: {
    about: 'every property test with 200 times its cases (30 minutes); PROPERTY_RUNS says another number',
    run: (more) =>
      command('vitest', ['run', '--testTimeout=1800000', ...propertyTests(), ...more], {
        PROPERTY_RUNS: process.env['PROPERTY_RUNS'] ?? '200',
      }),
  },
  'fuzz-http': {
    about: 'hostile requests to every route with every kind of credential (30 minutes; --minutes, --seed)',
    run: (more) => command('node', ['test/fuzz/main.ts', ...more]),
  },
  'web-nodes': {
    about: 'the tests of the admin UI on two nodes, behind a proxy that gives each request to the next one (8 minutes)',
    run: (more) => command('vitest', ['run', ...(more.length > 0 ? more : ['test/web'])], { SERVICE_TEST_NODES: '2' }),
  },
  'side-by-side': {
    about:
      'two builds under load on one database and one NATS, then the one replaced by the other (1 minute; --seconds)',
    run: (more) => command('node', ['test/side-by-side/main.ts', ...more]),
  },
  upgrade: {
    about: 'the newest release that was left, installed, and this version installed over it (2 minutes)',
    run: () => command('node', ['scripts/package-check.ts']),
  },
  docs: {
    about:
      'every command of README and docs, page by page against a fresh start (2 minutes; names of pages for those alone)',
    run: (more) => command('node', ['test/docs-walk/main.ts', ...more]),
  },
  tests: {
    about: 'all tests five times, the last two beside a process on each core (an hour)',
    async run(more) {
      for (let round = 1; round <= 5; round++) {
        console.log(`== round ${round} of 5${round > 3 ? ', beside a process on each core' : ''}`)
        await besideLoad(round > 3 ? availableParallelism() : 0, () => command('vitest', ['run', ...more]))
      }
    },
  },
  bench: {
    about: 'every row of the benchmark (an hour)',
    run: (more) => command('node', ['bench/run.ts', ...more]),
  },
  soak: {
    about: 'mixed load for hours; what grows is printed',
    run: (more) => command('node', ['bench/soak.ts', ...more]),
  },
}

function command(name: string, args: Arguments, environment: Record<string, string> = {}): Promise<void> {
  const child = spawn(name, args, { cwd: packageFolder, stdio: 'inherit', env: { ...process.env, ...environment } })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (code === 0) resolve()
      else reject(new Error(`${name} ${args.slice(0, 3).join(' ')} ended with ${signal ?? code}`))
    })
  })
}

/** Files with properties: what they have in common is the library. */
function propertyTests(): string[] {
  return readdirSync(join(packageFolder, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.startsWith('counterparts'))
    .map((name) => join('test', name))
    .filter((file) => readFileSync(join(packageFolder, file), 'utf8').includes("from 'fast-check'"))
}

async function besideLoad(processes: number, work: () => Promise<void>): Promise<void> {
  const burners: ChildProcess[] = Array.from({ length: processes }, () =>
    spawn(
      process.execPath,
      [
        '-e',
        'process.on("disconnect", () => process.exit()); setInterval(() => { const until = Date.now() + 200; while (Date.now() < until); }, 0)',
      ],
      {
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      },
    ),
  )
  try {
    await work()
  } finally {
    for (const burner of burners) burner.kill('SIGKILL')
  }
}

const [name = '', ...more] = process.argv.slice(2)
const chosen = runs[name]
if (chosen) {
  await chosen.run(more)
} else {
  console.log(
    Object.entries(runs)
      .map(([each, { about }]) => `npm run long -- ${each.padEnd(12)} ${about}`)
      .join('\n'),
  )
  process.exitCode = name === '' ? 0 : 2
}
