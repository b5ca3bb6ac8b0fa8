/** What the service takes while nobody uses it. */
import { setTimeout as pause } from 'node:timers/promises'
import { interleaved } from '../interleave.ts'
import { cpuSeconds, descendants, proportionalMiB, residentMiB } from '../process/proc.ts'
import type { Bench, Figures, Row } from '../row.ts'
import { startOurs } from '../servers/ours.ts'
import { startUpstream } from '../servers/upstream.ts'

export const idleRow: Row = {
  name: 'idle',
  what: 'The service after its start, left alone: its own process, and the processes of its built-in database.',
  lines: [
    {
      label: 'resident memory',
      figure: 'residentMiB',
      unit: 'MiB',
      targets: [{ of: 'ours', atMost: 200 }],
    },
    { label: 'database, shared pages counted once', figure: 'databaseMiB', unit: 'MiB' },
    { label: 'processor', figure: 'cpuPercent', unit: '%', digits: 2 },
  ],
  async measure(bench) {
    const upstream = await startUpstream()
    try {
      return await interleaved({ ours: () => idle(bench, upstream) }, bench.runs, bench.say)
    } finally {
      await upstream.stop()
    }
  },
}

async function idle({ scale }: Bench, upstream: Parameters<typeof startOurs>[0]): Promise<Figures> {
  const server = await startOurs(upstream, { isProbed: false })
  try {
    const { pid } = server.process
    await pause(scale.settleMs)
    const before = await cpuSeconds(pid)
    await pause(scale.settleMs)
    const used = (await cpuSeconds(pid)) - before
    return {
      residentMiB: await residentMiB(pid),
      databaseMiB: await proportionalMiB(await descendants(pid)),
      cpuPercent: (used / (scale.settleMs / 1_000)) * 100,
    }
  } finally {
    await server.stop()
  }
}
