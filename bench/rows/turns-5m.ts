/** Whether a table of millions of turns slows the chat down. */
import { openDatabase } from '../../store/database.ts'
import { findEmbedded } from '../../store/embedded/find.ts'
import { openPool } from '../../store/postgres/pool.ts'
import { interleaved } from '../interleave.ts'
import type { Bench, Row } from '../row.ts'
import { type OurServer, startOurs } from '../servers/ours.ts'
import { startUpstream } from '../servers/upstream.ts'
import { loadOn } from './chat.ts'

/** Rows of one statement: some seconds. */
const groupRows = 100_000

export const turnsFullRow: Row = {
  name: 'turns-5m',
  what: 'Chat, whole answers, 64 connections: ours with a full table of turns, beside ours with an empty one as the floor.',
  isOnRequest: true,
  lines: [
    { label: 'requests', figure: 'requestsPerS', unit: '1/s', targets: [{ of: 'ours/floor', atLeast: 0.95 }] },
    { label: 'latency p50', figure: 'latencyP50Ms', unit: 'ms', digits: 2, isAdded: true },
  ],
  async measure(bench) {
    const upstream = await startUpstream()
    const empty = await startOurs(upstream)
    const full = await startOurs(upstream)
    try {
      await fill(full, bench)
      const work = { kind: 'whole', connections: 64 } as const
      return await interleaved(
        { ours: () => loadOn(bench, full, work), floor: () => loadOn(bench, empty, work) },
        bench.runs,
        bench.say,
      )
    } finally {
      await full.stop()
      await empty.stop()
      await upstream.stop()
    }
  },
}

/** Turns of the last year, evenly spread, of the service's first workspace. */
async function fill(server: OurServer, { scale, say }: Bench): Promise<void> {
  const found = await findEmbedded({ dataDir: server.dataDir, isDataDirExplicit: true })
  if (!found) throw new Error(`no database runs in ${server.dataDir}`)
  const db = openDatabase(found.address)
  try {
    for (let done = 0; done < scale.turnRows; done += groupRows) {
      const rows = Math.min(groupRows, scale.turnRows - done)
      const share = done / scale.turnRows
      const span = rows / scale.turnRows
      await db.system`
        insert into turns (id, workspace_id, request_id, epoch, status, model, is_stream, prompt_tokens, completion_tokens,
          is_usage_estimated, finish_reason, time_to_first_token_ms, duration_ms, started_at)
        select uuidv7(age), workspace.id, 'req-' || at, 1, 'completed', 'bench', at % 2 = 0, 96, 203, false, 'stop', 180, 2400, now() + age
        from generate_series(1, ${rows}::integer) as at,
          lateral (select (${share}::float8 + at::float8 / ${rows}::integer * ${span}::float8 - 1) * interval '365 days' as age) as spread,
          lateral (select id from workspaces order by id limit 1) as workspace`
      say(`${done + rows} of ${scale.turnRows} turns`)
    }
  } finally {
    await db.close()
  }
  // What the database would do by itself later, in the middle of the measurement. As the tables' owner: asked by anybody
  // else, it skips a table and says so only in a notice.
  say('vacuum, checkpoint')
  const owner = openPool(found.address, { name: 'bench', connectionsMax: 1, statementMs: 0 })
  try {
    await owner`vacuum (freeze, analyze) turns`
    await owner`checkpoint`
    const [statistics] = await owner<{ isAnalyzed: boolean }[]>`
      select last_analyze is not null as "isAnalyzed" from pg_stat_user_tables where relname = 'turns'`
    if (!statistics?.isAnalyzed) throw new Error('the full table was not analyzed')
  } finally {
    await owner.end()
  }
}
