/** Intake: messages accepted per second, each answered after its commit, deduplicated, threaded, queued and in the feed. */
import { interleaved } from '../interleave.ts'
import { measureIn } from '../process/measurement.ts'
import type { Bench, Figures, Row, Samples } from '../row.ts'
import { startOurs } from '../servers/ours.ts'
import { openIntake } from '../servers/ours-channel.ts'
import { startUpstream } from '../servers/upstream.ts'
import { loadOn, loopLine } from './chat.ts'

const lines = [
  { label: 'latency p50', figure: 'latencyP50Ms', unit: 'ms', digits: 2 },
  { label: 'latency p99', figure: 'latencyP99Ms', unit: 'ms', digits: 2 },
] as const

const program = (path: string) => new URL(`../${path}`, import.meta.url)

function measured(bench: Bench, path: string, callers: number): () => Promise<Figures> {
  return () => measureIn(program(path), bench.scale, { BENCH_CALLERS: String(callers) })
}

/** The batch statement by itself, beside what other products take for one job a message. */
function storeRow(callers: number, peer: string, peerName: string): Row {
  return {
    name: `accept-${callers}${peer === 'peers/pg-boss.ts' ? '' : '-graphile'}`,
    what: `Intake in process, ${callers} senders, 200 characters, one in twenty said twice; peer: ${peerName}, one job a message.`,
    lines: [
      {
        label: 'accepted',
        figure: 'acceptedPerS',
        unit: '1/s',
        targets: [{ of: 'ours/peer', atLeast: peer === 'peers/pg-boss.ts' ? 8 : 12 }],
      },
      ...lines,
      {
        label: 'last sixth of the time to the first',
        figure: 'lastToFirst',
        unit: '',
        digits: 2,
        targets: [{ of: 'ours', atLeast: 0.85 }],
      },
    ],
    measure: (bench) =>
      interleaved(
        { ours: measured(bench, 'ours/intake.ts', callers), peer: measured(bench, peer, callers) },
        bench.runs,
        bench.say,
      ),
  }
}

function httpRow(callers: number): Row {
  return {
    name: `inbound-${callers}`,
    what: `Intake over HTTP, ${callers} senders, one message a request; floor: the same statement in process; peer: pg-boss in process.`,
    lines: [
      {
        label: 'accepted',
        figure: 'acceptedPerS',
        unit: '1/s',
        targets:
          callers === 256
            ? [
                { of: 'ours', atLeast: 10_000 },
                { of: 'ours/peer', atLeast: 4 },
              ]
            : [{ of: 'ours/peer', atLeast: 4 }],
      },
      lines[0],
      { ...lines[1], targets: [{ of: 'ours', atMost: 60 }] },
      loopLine,
      { label: 'processor time a message', figure: 'processorUs', unit: 'µs', digits: 1 },
      { label: 'processor time of PostgreSQL a message', figure: 'databaseUs', unit: 'µs', digits: 1 },
    ],
    measure: (bench) =>
      withOurs(bench, (load) =>
        interleaved(
          {
            ours: () => load({ kind: 'inbound', connections: callers, messagesEach: 1 }),
            floor: measured(bench, 'ours/intake.ts', callers),
            peer: measured(bench, 'peers/pg-boss.ts', callers),
          },
          bench.runs,
          bench.say,
        ),
      ),
  }
}

const linesRow: Row = {
  name: 'inbound-lines',
  what: 'Intake over HTTP, 16 connectors that post 100 lines of JSON a request; floor: single posts of 256 senders.',
  lines: [
    { label: 'accepted', figure: 'acceptedPerS', unit: '1/s', targets: [{ of: 'ours', atLeast: 40_000 }] },
    lines[0],
    { ...lines[1], targets: [{ of: 'ours', atMost: 60 }] },
    loopLine,
  ],
  measure: (bench) =>
    withOurs(bench, (load) =>
      interleaved(
        {
          ours: () => load({ kind: 'inbound', connections: 16, messagesEach: 100 }),
          floor: () => load({ kind: 'inbound', connections: 256, messagesEach: 1 }),
        },
        bench.runs,
        bench.say,
      ),
    ),
}

type InboundWork = { kind: 'inbound'; connections: number; messagesEach: number }

/** The service with an open channel whose answering is paused: what is measured is intake, whole, and nothing behind it. */
async function withOurs(
  bench: Bench,
  work: (load: (job: InboundWork) => Promise<Figures>) => Promise<Samples>,
): Promise<Samples> {
  const upstream = await startUpstream()
  const ours = await startOurs(upstream, { environment: { SERVICE_INBOUND_REQUIRE_BINDING: 'false' } })
  try {
    await openIntake(ours, { isPaused: true })
    return await work((job) => loadOn(bench, ours, job))
  } finally {
    await ours.stop()
    await upstream.stop()
  }
}

export const intakeRows: readonly Row[] = [
  storeRow(64, 'peers/pg-boss.ts', 'pg-boss 12.20'),
  storeRow(256, 'peers/pg-boss.ts', 'pg-boss 12.20'),
  storeRow(64, 'peers/graphile-worker.ts', 'graphile-worker 0.18'),
  httpRow(64),
  httpRow(256),
  linesRow,
]
