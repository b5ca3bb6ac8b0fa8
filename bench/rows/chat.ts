/** What the chat rows share: the same load on ours, the floor and the peer in turn, all alive throughout. */
import { interleaved } from '../interleave.ts'
import type { Job } from '../load/job.ts'
import { runLoad } from '../process/load.ts'
import { residentMiB } from '../process/proc.ts'
import type { Bench, Figures, Role, Samples } from '../row.ts'
import { startFloor } from '../servers/floor.ts'
import { startOurs } from '../servers/ours.ts'
import { startPeer } from '../servers/peer.ts'
import { loopDelay, type Server } from '../servers/server.ts'
import { startUpstream } from '../servers/upstream.ts'

type Untargeted<Kind> = Kind extends Job ? Omit<Kind, 'target' | 'warmUpMs' | 'measureMs'> : never

/** What the load does, whoever answers. */
export type Work = Untargeted<Job>

const starters = { ours: startOurs, floor: startFloor, peer: startPeer }

export async function measureChat(bench: Bench, roles: readonly Role[], work: Work): Promise<Samples> {
  const upstream = await startUpstream()
  const servers: [Role, Server][] = []
  try {
    for (const role of roles) servers.push([role, await starters[role](upstream)])
    const contestants = Object.fromEntries(servers.map(([role, server]) => [role, () => loadOn(bench, server, work)]))
    return await interleaved(contestants, bench.runs, bench.say)
  } finally {
    for (const [, server] of servers) await server.stop()
    await upstream.stop()
  }
}

export async function loadOn({ scale }: Bench, server: Server, work: Work): Promise<Figures> {
  const { warmUpMs, measureMs } = scale
  const job = { ...work, target: server.endpoint, warmUpMs, measureMs } as Job
  // Asked once as the counting begins, so that start and warm-up are in none of the figures.
  let cleared: Promise<unknown> = Promise.resolve()
  const figures = await runLoad(job, () => {
    cleared = loopDelay(server)
    cleared.catch(() => {}) // awaited below, unless the load fails first
  })
  await cleared
  const delay = await loopDelay(server)
  return {
    ...figures,
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
