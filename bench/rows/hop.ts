/** A hop: a question to an actor on another node, beside what carries it; and a conversation asked for at the wrong node. */
import { interleaved } from '../interleave.ts'
import type { Job } from '../load/job.ts'
import { withDatabase } from '../ours/database.ts'
import { withProcessorTime } from '../process/load.ts'
import { measureIn } from '../process/measurement.ts'
import { startNats } from '../process/nats.ts'
import type { Bench, Figures, Line, Row, Samples } from '../row.ts'
import { slotsOf, startNodes } from '../servers/nodes.ts'
import type { OurServer } from '../servers/ours.ts'
import { startUpstream } from '../servers/upstream.ts'

const program = (path: string) => new URL(`../${path}`, import.meta.url)

const latency: Line[] = [
  { label: 'latency p50', figure: 'latencyP50Ms', unit: 'ms', digits: 2 },
  { label: 'latency p99', figure: 'latencyP99Ms', unit: 'ms', digits: 2 },
  { label: 'processor time of both processes a call', figure: 'processorUs', unit: 'µs', digits: 1 },
]

export const hopRows: readonly Row[] = [
  {
    name: 'hop',
    what: '64 callers ask an actor on another node over NATS, 200 characters each way; floor: request and reply of the bare NATS client.',
    lines: [
      {
        label: 'time a call',
        figure: 'callUs',
        unit: 'µs',
        digits: 1,
        targets: [{ of: 'ours/floor', atMost: 1.3 }],
      },
      { label: 'messages a node', figure: 'messagesPerS', unit: '1/s', targets: [{ of: 'ours', atLeast: 20_000 }] },
      ...latency,
    ],
    async measure(bench) {
      const nats = await startNats()
      const measured = (path: string) => () => measureIn(program(path), bench.scale, { BENCH_NATS_URL: nats.url })
      try {
        return await interleaved(
          { ours: measured('ours/hop.ts'), floor: measured('floors/hop.ts') },
          bench.runs,
          bench.say,
        )
      } finally {
        await nats.stop()
      }
    },
  },
  {
    name: 'hop-postgres',
    what: 'The same through the database, as where no NATS is set.',
    lines: [
      { label: 'time a call', figure: 'callUs', unit: 'µs', digits: 1 },
      { label: 'messages a node', figure: 'messagesPerS', unit: '1/s' },
      ...latency,
    ],
    measure: (bench) =>
      withDatabase((address) =>
        interleaved(
          { ours: () => measureIn(program('ours/hop.ts'), bench.scale, { BENCH_DATABASE: JSON.stringify(address) }) },
          bench.runs,
          bench.say,
        ),
      ),
  },
  {
    name: 'stored-hop',
    what: '`stored` on two nodes that talk over NATS, asked at the node that does not have the conversations; floor: at the one that has.',
    lines: [
      { label: 'turns', figure: 'turnsPerS', unit: '1/s' },
      { label: 'latency p50', figure: 'latencyP50Ms', unit: 'ms', digits: 2, isAdded: true },
      { label: 'latency p99', figure: 'latencyP99Ms', unit: 'ms', digits: 2 },
      { label: 'processor time of both nodes a turn', figure: 'nodesUs', unit: 'µs', digits: 1, isAdded: true },
    ],
    measure: storedAtBoth,
  },
]

async function storedAtBoth(bench: Bench): Promise<Samples> {
  const nats = await startNats()
  const upstream = await startUpstream()
  try {
    return await withDatabase(async (address) => {
      const nodes = await startNodes(upstream, { address, count: 2, environment: { SERVICE_NATS_URL: nats.url } })
      const [owner, other] = nodes as [OurServer, OurServer]
      const slots = await slotsOf(address, owner)
      const at = (server: OurServer) => () => storedLoadOn(bench, server, { nodes, slots })
      try {
        return await interleaved({ ours: at(other), floor: at(owner) }, bench.runs, bench.say)
      } finally {
        for (const node of nodes) await node.stop()
      }
    })
  } finally {
    await upstream.stop()
    await nats.stop()
  }
}

async function storedLoadOn(
  { scale: { warmUpMs, measureMs } }: Bench,
  { endpoint: target }: OurServer,
  { nodes, slots }: { nodes: readonly OurServer[]; slots: readonly number[] },
): Promise<Figures> {
  const job: Job = { kind: 'stored', connections: 64, turnsEach: 40, slots, target, warmUpMs, measureMs }
  const { figures, ns } = await withProcessorTime(job, async () => [nodes.map((node) => node.process.pid)])
  return { ...figures, nodesUs: (ns[0] ?? Number.NaN) / 1_000 / (figures['units'] ?? Number.NaN) }
}
