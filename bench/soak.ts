/** `npm run soak`: mixed load for minutes, and whether memory, sockets, timers and actors stay where they are. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startMixedLoad } from './load/mixed.ts'
import { endProgramsOnSignal } from './process/forked.ts'
import { thisMachine } from './process/machine.ts'
import { openSockets, residentMiB } from './process/proc.ts'
import { until } from './process/until.ts'
import { type OurServer, startOurs } from './servers/ours.ts'
import { startUpstream } from './servers/upstream.ts'
import { slope } from './statistics.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, json: { type: 'string' } },
})
const minutes = Number(values.minutes)
if (!(minutes > 0)) {
  process.stderr.write(`--minutes takes a number above 0, not ${values.minutes}\n`)
  process.exit(2)
}

interface Sample {
  minute: number
  residentMiB: number
  heapMiB: number
  heapTotalMiB: number
  externalMiB: number
  sockets: number
  timers: number
  actors: number
}

const sampleMs = Math.min(5_000, minutes * 2_000)
/** Compiled code, warm pools, and as many stored conversations in memory as their idle time of five minutes keeps there. */
const warmUpMinutes = Math.min(5.5, minutes / 2)

endProgramsOnSignal()
const upstream = await startUpstream()
const server = await startOurs(upstream)
const startedMs = performance.now()
const before = await sample(server)
say('before', before)
const load = startMixedLoad(server.endpoint)
const samples: Sample[] = []
while (performance.now() - startedMs < minutes * 60_000) {
  await pause(sampleMs)
  const now = await sample(server)
  samples.push(now)
  say('load', now)
}
await load.stop()
// Readers have left, turns are over, actors of single calls are gone: stored conversations stay for their idle time.
await until('every turn is over', 30_000, async () => (await server.stats())['turns'] === 0)
await pause(10_000)
const after = await sample(server)
say('after', after)
await server.stop()
await upstream.stop()

const counted = samples.filter(({ minute }) => minute >= warmUpMinutes)
const slopes = Object.fromEntries(
  (['residentMiB', 'heapMiB', 'sockets', 'timers', 'actors'] as const).map((figure) => [
    figure,
    slope(counted.map((one) => ({ x: one.minute, y: one[figure] }))),
  ]),
)
process.stdout.write(
  `\nAfter warm-up, a minute: ${Object.entries(slopes)
    .map(([figure, value]) => `${figure} ${value.toFixed(2)}`)
    .join(', ')}\nAnswers: ${[...load.counts].map(([what, count]) => `${what} ${count}`).join(', ')}\n`,
)
const file = values.json ?? join('bench', 'results', `soak-${new Date().toISOString().replaceAll(':', '-')}.json`)
await mkdir(dirname(file), { recursive: true })
const result = {
  machine: thisMachine(),
  minutes,
  slopes,
  before,
  after,
  counts: Object.fromEntries(load.counts),
  samples,
}
await writeFile(file, `${JSON.stringify(result, null, 2)}\n`)
process.stdout.write(`Results: ${file}\n`)

async function sample(ours: OurServer): Promise<Sample> {
  const stats = await ours.stats()
  return {
    minute: (performance.now() - startedMs) / 60_000,
    residentMiB: await residentMiB(ours.process.pid),
    heapMiB: mib(stats['heapUsed']),
    heapTotalMiB: mib(stats['heapTotal']),
    externalMiB: mib(stats['external']),
    sockets: await openSockets(ours.process.pid),
    timers: stats['timers'] ?? Number.NaN,
    actors: stats['actors'] ?? Number.NaN,
  }
}

function mib(bytes = Number.NaN): number {
  return bytes / 1_048_576
}

function say(phase: string, one: Sample): void {
  const { minute, ...figures } = one
  const text = Object.entries(figures).map(([figure, value]) => `${figure} ${value.toFixed(0)}`)
  process.stderr.write(`${phase} ${minute.toFixed(1)} min: ${text.join(', ')}\n`)
}
