/**
 * `node bench/nodes/costs.ts --before 3a384f1 [--after COMMIT] [--windows 40]`: processor time of a chat request, a chunk of a stream
 * and a post to a channel, of one process beside the same of a former commit, in windows that alternate. Prints the ratio with its
 * interval, and ends with 1 where a median is above 1.05. Without `--after` it is of what is here.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { packageFolder } from '../../runtime/package.ts'
import type { Job } from '../load/job.ts'
import { endProgramsOnSignal } from '../process/forked.ts'
import { withProcessorTime } from '../process/load.ts'
import type { Work } from '../rows/chat.ts'
import { type OurServer, startOurs } from '../servers/ours.ts'
import { openIntake } from '../servers/ours-channel.ts'
import { startUpstream } from '../servers/upstream.ts'
import { medianInterval } from '../statistics.ts'

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    after: { type: 'string' },
    windows: { type: 'string', default: '40' },
    seconds: { type: 'string', default: '1.2' },
  },
})
if (values.before === undefined) throw new Error('--before takes a commit')
const windows = Number(values.windows)
const measureMs = Number(values.seconds) * 1_000
const allowed = 1.05

const works: Record<string, Work> = {
  'a chat request': { kind: 'whole', connections: 64 },
  'a chunk': { kind: 'burst', connections: 32, chunks: 500 },
  'a post': { kind: 'inbound', connections: 64, messagesEach: 1 },
}

endProgramsOnSignal()
const upstream = await startUpstream()
const environment = { SERVICE_INBOUND_REQUIRE_BINDING: 'false' }
const before = await startOurs(upstream, { environment, folder: checkout(values.before) })
const now = await startOurs(upstream, { environment, ...(values.after && { folder: checkout(values.after) }) })
for (const server of [before, now]) await openIntake(server, { isPaused: true })
for (const [what, work] of Object.entries(works)) await compare(what, work)
await now.stop()
await before.stop()
await upstream.stop()
process.exit()

/** As it was, with the packages of now. It goes when this process does. */
function checkout(commit: string): URL {
  const folder = mkdtempSync(join(tmpdir(), 'bench-former-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  const files = execFileSync('git', ['archive', commit], { cwd: packageFolder, maxBuffer: 1024 * 1024 * 1024 })
  execFileSync('tar', ['-x', '-C', folder], { input: files })
  symlinkSync(join(packageFolder, 'node_modules'), join(folder, 'node_modules'))
  return pathToFileURL(`${folder}/`)
}

async function compare(what: string, work: Work): Promise<void> {
  const us: Record<'before' | 'now', number[]> = { before: [], now: [] }
  // One each that counts for nothing: code is compiled, pools are full.
  for (let window = -1; window < windows; window++) {
    const turn = [['before', before] as const, ['now', now] as const]
    for (const [name, server] of window % 2 === 0 ? turn : turn.toReversed()) {
      const found = await processorUs(server, work)
      if (window >= 0) us[name].push(found)
    }
  }
  const { median, least, most } = medianInterval(us.now.map((each, at) => each / (us.before[at] ?? Number.NaN)))
  const [nowUs, beforeUs] = [us.now, us.before].map((all) => medianInterval(all).median.toFixed(1))
  const verdict = median <= allowed ? 'met' : 'MISSED'
  if (median > allowed) process.exitCode = 1
  process.stdout.write(
    `${what}: ${nowUs} µs, before ${beforeUs} µs; ratio ${median.toFixed(3)} [${least.toFixed(3)}–${most.toFixed(3)}] of ${windows} windows; at most ${allowed}: ${verdict}\n`,
  )
}

async function processorUs({ endpoint, process: { pid } }: OurServer, work: Work): Promise<number> {
  const job = { ...work, target: endpoint, warmUpMs: measureMs / 4, measureMs } as Job
  const { figures, ns } = await withProcessorTime(job, async () => [[pid]])
  return (ns[0] ?? Number.NaN) / 1_000 / (figures['units'] ?? Number.NaN)
}
