/**
 * `node bench/nodes/growth.ts [--windows 12]`: one and two processes behind one port, beside a floor of one and two: how much
 * more they do, and what a chat request, a chunk of a stream and a message of a channel cost in processor time. Two cores that
 * also bear the load and the model have no room to do twice as much: what counts is that a unit costs no more.
 */
import { parseArgs } from 'node:util'
import type { Job } from '../load/job.ts'
import { endProgramsOnSignal } from '../process/forked.ts'
import { withProcessorTime } from '../process/load.ts'
import { thisMachine } from '../process/machine.ts'
import type { Figures } from '../row.ts'
import type { Work } from '../rows/chat.ts'
import { openIntake } from '../servers/ours-channel.ts'
import { type ServerProcesses, startFloorProcesses, startOurProcesses } from '../servers/processes.ts'
import { startUpstream } from '../servers/upstream.ts'
import { medianInterval } from '../statistics.ts'

const { values } = parseArgs({
  options: { windows: { type: 'string', default: '12' }, seconds: { type: 'string', default: '2' } },
})
const windows = Number(values.windows)
const measureMs = Number(values.seconds) * 1_000

const works: Record<string, Work> = {
  'chat, a request': { kind: 'whole', connections: 64 },
  'stream, a chunk': { kind: 'burst', connections: 32, chunks: 500 },
  'intake, a message': { kind: 'inbound', connections: 64, messagesEach: 1 },
}
const names = ['ours of 1', 'ours of 2', 'floor of 1', 'floor of 2'] as const
type Name = (typeof names)[number]

endProgramsOnSignal()
const { processor, cores } = thisMachine()
print(`${processor}, ${cores} cores; ${windows} windows of ${values.seconds} s each, in turn; medians [95 % interval]`)
const upstream = await startUpstream()
const servers = {
  'ours of 1': await startOurProcesses(upstream, 1),
  'ours of 2': await startOurProcesses(upstream, 2),
  'floor of 1': await startFloorProcesses(upstream, 1),
  'floor of 2': await startFloorProcesses(upstream, 2),
} satisfies Record<Name, ServerProcesses>
for (const ours of [servers['ours of 1'], servers['ours of 2']]) await openIntake(ours, { isPaused: true })
for (const [what, work] of Object.entries(works)) await measure(what, work)
for (const server of Object.values(servers)) await server.stop()
await upstream.stop()

async function measure(what: string, work: Work): Promise<void> {
  const found: Record<Name, Figures[]> = { 'ours of 1': [], 'ours of 2': [], 'floor of 1': [], 'floor of 2': [] }
  for (let window = 0; window < windows; window++) {
    // Every second one goes backwards: nobody always follows the same neighbour.
    for (const name of window % 2 === 0 ? names : names.toReversed())
      found[name].push(await oneWindow(servers[name], work))
  }
  print(`\n${what}`)
  for (const name of names) {
    const of = (figure: string) =>
      text(
        found[name].map((figures) => figures[figure] ?? 0),
        1,
      )
    const database = name.startsWith('ours') ? `, PostgreSQL ${of('databaseUs')} µs` : ''
    print(
      `  ${name}: ${text(
        found[name].map(({ perS = 0 }) => perS),
        0,
      )}/s, ${of('processorUs')} µs${database}`,
    )
  }
  for (const whose of ['ours', 'floor'] as const) {
    const ratio = (figure: string) =>
      text(
        found[`${whose} of 2`].map((two, at) => (two[figure] ?? 0) / (found[`${whose} of 1`][at]?.[figure] ?? 0)),
        2,
      )
    print(
      `  two of ${whose} beside one: ${ratio('perS')} as much, ${ratio('processorUs')} of the processor time a unit`,
    )
  }
}

async function oneWindow(server: ServerProcesses, work: Work): Promise<Figures> {
  const job = { ...work, target: server.endpoint, warmUpMs: measureMs / 5, measureMs } as Job
  const { figures, ns } = await withProcessorTime(job, async () => [await server.pids(), await server.databasePids()])
  const [gatewayNs = 0, databaseNs = 0] = ns
  const units = figures['units'] ?? 0
  return {
    perS: units / (measureMs / 1_000),
    processorUs: gatewayNs / 1_000 / units,
    databaseUs: databaseNs / 1_000 / units,
  }
}

function text(samples: readonly number[], digits: number): string {
  const { median, least, most } = medianInterval(samples)
  return `${median.toFixed(digits)} [${least.toFixed(digits)}–${most.toFixed(digits)}]`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
