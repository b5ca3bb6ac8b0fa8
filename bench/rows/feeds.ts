/** Feeds and sockets: how soon watchers hear, and what many of them cost. */
import { interleaved } from '../interleave.ts'
import { residentMiB } from '../process/proc.ts'
import type { Bench, Figures, Row, Samples } from '../row.ts'
import { type OurServer, startOurs } from '../servers/ours.ts'
import { openIntake } from '../servers/ours-channel.ts'
import { startUpstream } from '../servers/upstream.ts'
import { loadOn, loopLine } from './chat.ts'

const firstEventRow: Row = {
  name: 'first-event',
  what: 'From the post of a message to its event on the operators’ feed, 4 senders, each waiting for its event.',
  lines: [
    {
      label: 'post to event p50',
      figure: 'firstEventP50Ms',
      unit: 'ms',
      digits: 2,
      targets: [{ of: 'ours', atMost: 10 }],
    },
    { label: 'post to event p99', figure: 'firstEventP99Ms', unit: 'ms', digits: 2 },
    loopLine,
  ],
  measure: (bench) => onOurs(bench, (ours) => loadOn(bench, ours, { kind: 'first-event', connections: 4 })),
}

const fanOutRow: Row = {
  name: 'fan-out',
  what: '5,000 open feeds of one conversation each, 1,000 messages a second to all of them in turn.',
  lines: [
    { label: 'events delivered', figure: 'deliveredPerS', unit: '1/s', targets: [{ of: 'ours', atLeast: 950 }] },
    { label: 'post to event p50', figure: 'deliveryP50Ms', unit: 'ms', digits: 1 },
    { label: 'post to event p99', figure: 'deliveryP99Ms', unit: 'ms', digits: 1 },
    { label: 'events that reached another feed', figure: 'strayed', unit: '', targets: [{ of: 'ours', atMost: 0 }] },
    { label: 'memory of a feed', figure: 'feedKiB', unit: 'KiB', digits: 1 },
    loopLine,
  ],
  measure: (bench) =>
    onOurs(bench, (ours) =>
      withMemoryOf(ours, 'feedKiB', bench.scale.feeds, () =>
        loadOn(bench, ours, { kind: 'fan-out', connections: 4, feeds: bench.scale.feeds, perS: 1_000 }),
      ),
    ),
}

const socketsRow: Row = {
  name: 'sockets',
  what: '10,000 open WebSockets, 256 of them at a time in a turn with the demonstration model, which speaks at its own pace.',
  lines: [
    { label: 'turns', figure: 'turnsPerS', unit: '1/s' },
    { label: 'a turn, from send to its end, p50', figure: 'turnP50Ms', unit: 'ms', digits: 1 },
    { label: 'a turn, from send to its end, p99', figure: 'turnP99Ms', unit: 'ms', digits: 1 },
    { label: 'opening p99', figure: 'openP99Ms', unit: 'ms', digits: 1 },
    { label: 'memory of a socket', figure: 'socketKiB', unit: 'KiB', digits: 1 },
    loopLine,
  ],
  measure: (bench) =>
    onOurs(
      bench,
      (ours) =>
        withMemoryOf(ours, 'socketKiB', bench.scale.sockets, () =>
          loadOn(bench, ours, { kind: 'sockets', connections: 256, sockets: bench.scale.sockets }),
        ),
      { SERVICE_LLM_GATEWAY_URL: '' },
    ),
}

/** Resident memory per reader, everything counted that the load made besides. */
async function withMemoryOf(
  ours: OurServer,
  figure: string,
  readers: number,
  work: () => Promise<Figures>,
): Promise<Figures> {
  const beforeMiB = await residentMiB(ours.process.pid)
  const figures = await work()
  return { ...figures, [figure]: ((Number(figures['residentMiB']) - beforeMiB) * 1_024) / readers }
}

/** Each run on a service of its own: what one leaves behind is not the next one's. */
async function onOurs(
  bench: Bench,
  work: (ours: OurServer) => Promise<Figures>,
  environment: Record<string, string> = {},
): Promise<Samples> {
  const upstream = await startUpstream()
  try {
    return await interleaved(
      {
        async ours() {
          const ours = await startOurs(upstream, {
            environment: { SERVICE_INBOUND_REQUIRE_BINDING: 'false', SERVICE_CONNECTIONS_MAX: '40000', ...environment },
          })
          try {
            await openIntake(ours, { isPaused: true })
            return await work(ours)
          } finally {
            await ours.stop()
          }
        },
      },
      bench.runs,
      bench.say,
    )
  } finally {
    await upstream.stop()
  }
}

export const feedRows: readonly Row[] = [firstEventRow, fanOutRow, socketsRow]
