/** `npm run crash -- --rounds 200 --seed 1 [--tools] [--nodes 3 [--nats]]`: the crash test at any length; exits with 1 where something was lost, doubled or left hanging. */
import { parseArgs } from 'node:util'
import { crashRounds } from './rounds.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    seed: { type: 'string' },
    tools: { type: 'boolean', default: false },
    nodes: { type: 'string', default: '1' },
    nats: { type: 'boolean', default: false },
  },
})
// Ended from outside, it takes along what it has started.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1))
const seed = Number(values.seed ?? Date.now() % 1_000_000)

process.stdout.write(`seed ${seed}\n`)
const result = await crashRounds({
  rounds: Number(values.rounds),
  seed,
  hasTools: values.tools,
  nodesCount: Number(values.nodes),
  hasNats: values.nats,
  onRound: (round, fault) =>
    process.stdout.write(`${new Date().toISOString().slice(14, 23)} round ${round}: ${fault}\n`),
})
process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
process.exitCode = result.wrongs.length === 0 ? 0 : 1
