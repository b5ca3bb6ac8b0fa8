/** Analytics over a year of ten million turns: how long each question of the page takes, and what keeping the sums costs. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Database, openDatabase } from '../../store/database.ts'
import { findEmbedded } from '../../store/embedded/find.ts'
import { processorNs } from '../process/processor-time.ts'
import type { Bench, Figures, Line, Row } from '../row.ts'
import { type OurServer, startOurs } from '../servers/ours.ts'
import { startUpstream } from '../servers/upstream.ts'
import { percentile } from '../statistics.ts'
import { fillYear } from '../year/fill.ts'

const days = 365

const groupings = 'none model agent agent_version key channel operator endpoint origin workspace'.split(' ')
const windows = [
  { days: 1, bucket: 'hour' },
  { days: 7, bucket: 'hour' },
  { days: 30, bucket: 'day' },
  { days: 365, bucket: 'day' },
]

interface Question {
  name: string
  path: string
}

/** As the page asks, with the time before. */
const questions: Question[] = windows.flatMap((window) =>
  groupings.map((grouping) => ({
    name: `${grouping}, ${window.days} d by ${window.bucket}`,
    path: `/v1/admin/analytics?group_by=${grouping}&bucket=${window.bucket}&compare=true&from=${new Date(Date.now() - window.days * 86_400_000).toISOString()}`,
  })),
)

const answerP95MsMax = 300
const keepingUsMax = 5

/** Until all sums are made. */
const summedWithinMs = 3_600_000

export const analyticsRow: Row = {
  name: 'analytics',
  what: 'Every question of the usage page over a year of turns, each by itself; what the sums cost a turn, of the database and of the service.',
  isOnRequest: true,
  lines: [
    ...questions.flatMap(({ name }): Line[] => [
      { label: `${name} p50`, figure: `${name} p50`, unit: 'ms', digits: 1 },
      {
        ...{ label: `${name} p95`, figure: `${name} p95`, unit: 'ms', digits: 1 },
        targets: [{ of: 'ours', atMost: answerP95MsMax }],
      },
    ]),
    {
      ...{ label: 'sums, of the service', figure: 'sumsUs', unit: 'µs a turn', digits: 2 },
      targets: [{ of: 'ours', atMost: keepingUsMax }],
    },
    { label: 'sums, of the database', figure: 'sumsDatabaseUs', unit: 'µs a turn', digits: 1 },
    { label: 'rows of sums', figure: 'sumRows', unit: 'rows' },
    { label: 'disk of the sums', figure: 'sumMiB', unit: 'MiB' },
  ],
  async measure(bench) {
    const upstream = await startUpstream()
    const ours = await startOurs(upstream)
    try {
      const found = await findEmbedded({ dataDir: ours.dataDir, isDataDirExplicit: true })
      if (!found) throw new Error(`no database runs in ${ours.dataDir}`)
      const db = openDatabase(found.address)
      try {
        const sums = await keepingSums(bench, ours, db)
        return { ours: [{ ...sums, ...(await answerTimes(bench, ours)) }] }
      } finally {
        await db.close()
      }
    } finally {
      await ours.stop()
      await upstream.stop()
    }
  },
}

/** Fills the year and waits until the service has added it to the sums, which it does from the first turn on. */
async function keepingSums({ scale, say }: Bench, ours: OurServer, db: Database): Promise<Figures> {
  const pids = async () => (await ours.databasePids?.()) ?? []
  await fillYear(db, { turns: scale.usageTurns, days, seed: 1 }, say)
  const before = [await processorNs([ours.process.pid]), await processorNs(await pids())] as const
  const beganMs = performance.now()
  while ((await unsummed(db)) > 0) {
    if (performance.now() - beganMs > summedWithinMs) throw new Error('the sums are not made within an hour')
    say(`${Math.round((performance.now() - beganMs) / 1_000)} s: ${await unsummed(db)} entries are not in the sums`)
    await pause(5_000)
  }
  const [size] = await db.system<{ turns: string; rows: string; bytes: string }>`
    select (select sum(turns) from usage_sums where grain = 'month' and dimension = 'model') as turns,
      (select count(*) from usage_sums) + (select count(*) from usage_times) as rows,
      pg_total_relation_size('usage_sums') + pg_total_relation_size('usage_times') as bytes`
  if (Number(size?.turns) !== scale.usageTurns)
    throw new Error(`${size?.turns ?? 0} turns are in the sums of ${scale.usageTurns}`)
  return {
    sumsUs: ((await processorNs([ours.process.pid])) - before[0]) / 1_000 / scale.usageTurns,
    sumsDatabaseUs: ((await processorNs(await pids())) - before[1]) / 1_000 / scale.usageTurns,
    sumRows: Number(size?.rows),
    sumMiB: Number(size?.bytes) / 1_048_576,
  }
}

async function unsummed(db: Database): Promise<number> {
  const [row] = await db.system<{ entries: string }>`
    select count(*) as entries from usage_mark join usage_entries on usage_entries.xid >= usage_mark.xid`
  return Number(row?.entries)
}

async function answerTimes({ scale, say }: Bench, { endpoint, firstKey }: OurServer): Promise<Figures> {
  const figures: Figures = {}
  for (const { name, path } of questions) {
    const tookMs: number[] = []
    for (let at = 0; at < scale.usageQueries; at++) {
      const beganMs = performance.now()
      const answer = await fetch(`http://${endpoint.host}:${endpoint.port}${path}`, {
        headers: { authorization: `Bearer ${firstKey}` },
      })
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
      await answer.arrayBuffer()
      tookMs.push(performance.now() - beganMs)
    }
    figures[`${name} p50`] = percentile(tookMs, 50)
    figures[`${name} p95`] = percentile(tookMs, 95)
    say(`${name}: p50 ${figures[`${name} p50`]?.toFixed(1)} ms, p95 ${figures[`${name} p95`]?.toFixed(1)} ms`)
  }
  return figures
}
