/** What the chat rows share: the same load on ours, the floor and the peer in turn, all alive throughout. */
import { interleaved } from '../interleave.ts'
import type { Job } from '../load/job.ts'
import { runLoad } from '../process/load.ts'
import { residentMiB } from '../process/proc.ts'
import { processorNs, schedule } from '../process/processor-time.ts'
import type { Bench, Figures, Line, Role, Samples } from '../row.ts'
import { startFloor } from '../servers/floor.ts'
import { startOurs } from '../servers/ours.ts'
import { startPeer } from '../servers/peer.ts'
import { loopDelay, type Server } from '../servers/server.ts'
import { startUpstream } from '../servers/upstream.ts'

type Untargeted<Kind> = Kind extends Job ? Omit<Kind, 'target' | 'warmUpMs' | 'measureMs'> : never

/** What the load does, whoever answers. */
export type Work = Untargeted<Job>

const starters = { ours: startOurs, floor: startFloor, peer: startPeer }

/**
 * @param windows work of short windows that alternate, once as anybody would run it, once with ours, the floor and the
 *   database in a scheduling class above the rest of the machine: for processor time, which moves with what else runs
 */
export async function measureChat(bench: Bench, roles: readonly Role[], work: Work, windows?: Work): Promise<Samples> {
  const upstream = await startUpstream()
  const servers: [Role, Server][] = []
  try {
    for (const role of roles) servers.push([role, await starters[role](upstream)])
    const contestants = Object.fromEntries(servers.map(([role, server]) => [role, () => loadOn(bench, server, work)]))
    const samples = await interleaved(contestants, bench.runs, bench.say)
    return windows ? await withWindows(bench, samples, servers, windows) : samples
  } finally {
    for (const [, server] of servers) await server.stop()
    await upstream.stop()
  }
}

async function withWindows(
  bench: Bench,
  samples: Samples,
  servers: readonly [Role, Server][],
  work: Work,
): Promise<Samples> {
  const compared = servers.filter(([role]) => role !== 'peer')
  const short = {
    ...bench,
    scale: { ...bench.scale, warmUpMs: bench.scale.windowMs / 5, measureMs: bench.scale.windowMs },
  }
  const measure = () =>
    interleaved(
      Object.fromEntries(compared.map(([role, server]) => [role, () => loadOn(short, server, work)])),
      bench.scale.windows,
      bench.say,
    )
  const plain = await measure()
  const pids = await Promise.all(
    compared.map(async ([, server]) => [server.process.pid, ...((await server.databasePids?.()) ?? [])]),
  )
  schedule(pids.flat(), 'above-the-rest')
  const alone = await measure()
  const windowsOf = (role: Role): Figures[] => [
    ...(plain[role] ?? []).map(({ processorUs = Number.NaN, databaseUs }) => ({
      plainUs: processorUs,
      ...(databaseUs !== undefined && { databaseUs }),
    })),
    ...(alone[role] ?? []).map(({ processorUs = Number.NaN, loopDelayP99Ms = Number.NaN }) => ({
      aloneUs: processorUs,
      aloneLoopDelayP99Ms: loopDelayP99Ms,
    })),
  ]
  return Object.fromEntries(
    Object.entries(samples).map(([role, runs]) => [role, [...runs, ...windowsOf(role as Role)]]),
  )
}

/** Microseconds of processor time for each request, chunk or message. */
function perUnit(before: number[], after: number[], units: number): Figures {
  if (units === 0) return {}
  const [gateway = 0, database = 0] = after.map((ns, at) => (ns - (before[at] ?? 0)) / 1_000 / units)
  return { processorUs: gateway, ...(database > 0 && { databaseUs: database }) }
}

/** Processor time of the gateway a unit beside the floor's, as anybody would run it and with the machine to itself. */
export function processorLines(unit: string): Line[] {
  return [
    {
      label: `processor time a ${unit}, plain`,
      figure: 'plainUs',
      unit: 'µs',
      digits: 1,
      targets: [{ of: 'ours/floor', atMost: 2 }],
    },
    {
      label: `processor time a ${unit}, alone`,
      figure: 'aloneUs',
      unit: 'µs',
      digits: 1,
      targets: [{ of: 'ours/floor', atMost: 1.7 }],
    },
  ]
}

export async function loadOn({ scale }: Bench, server: Server, work: Work): Promise<Figures> {
  const { warmUpMs, measureMs } = scale
  const job = { ...work, target: server.endpoint, warmUpMs, measureMs } as Job
  const processorTime = async () => [
    await processorNs([server.process.pid]),
    await processorNs((await server.databasePids?.()) ?? []),
  ]
  // Both are asked as the counting begins, so that start and warm-up are in none of the figures.
  let cleared: Promise<unknown> = Promise.resolve()
  let before = processorTime()
  let after = before
  const figures = await runLoad(job, {
    onBegin() {
      before = processorTime()
      cleared = loopDelay(server)
      cleared.catch(() => {}) // awaited below, unless the load fails first
    },
    onEnd() {
      after = processorTime()
    },
  })
  await cleared
  const delay = await loopDelay(server)
  return {
    ...figures,
    ...perUnit(await before, await after, figures['units'] ?? 0),
    loopDelayP99Ms: delay.p99Ms,
    loopDelayMaxMs: delay.maxMs,
    residentMiB: await residentMiB(server.process.pid),
  }
}

/** The event loop's own lateness, beside every row of load. */
export const loopLine = {
  label: 'event loop delay p99 under it',
  figure: 'loopDelayP99Ms',
  unit: 'ms',
  digits: 1,
  targets: [{ of: 'ours', atMost: 20 }],
} as const
