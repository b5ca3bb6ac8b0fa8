import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from '../../runtime/time/clock.ts'
import { firstWorkspaceId, newApiKeyId, newOperatorId, uuidOf } from '../../store/id.ts'
import type { HeldKey } from '../../store/nodes/slots.ts'
import { sql } from '../../store/postgres/sql.ts'
import { originsInView } from '../../store/turns/origin.ts'
import { interruptLostTurns, type TurnWriter, turnWriter } from '../../store/turns/turns.ts'
import { piecesOf, readUsage, type UsageQuestion, wholeHour } from '../../store/usage/analytics.ts'
import { durations } from '../../store/usage/buckets.ts'
import { behindMark } from '../../store/usage/dimensions.ts'
import type { UsageEntry } from '../../store/usage/entry.ts'
import { mendMark } from '../../store/usage/mark.ts'
import { addToSums } from '../../store/usage/sums.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { turnEnd, turnStart } from './support/turns.ts'

let fresh: FreshDatabase
let turns: TurnWriter
let held: HeldKey
beforeEach(async () => {
  fresh = await freshDatabase()
  turns = turnWriter(fresh.db, 7, systemClock)
  held = { key: 'usage', node: 7, lease: 1 }
  await fresh.db.system`update slots set node_epoch = 7, lease_epoch = 1`
})
afterEach(async () => {
  await turns.close()
  await fresh.drop()
})

const hourMs = 3_600_000

function entry(differing: Partial<UsageEntry> = {}): UsageEntry {
  return {
    ...{
      agent: 'helper',
      agentVersion: 3,
      endpoint: 'default',
      modelAsked: 'asked',
      model: 'model-a',
      isEstimated: false,
    },
    amounts: { token_in: 11, token_cached: 4, token_out: 7, token_reasoning: 2, call: 1 },
    cost: { priceId: 1, currency: 'USD', microUnits: 1_234n },
    ...differing,
  }
}

function question(differing: Partial<UsageQuestion> = {}): UsageQuestion {
  const fromMs = wholeHour(Date.now()) - hourMs
  const window = { fromMs, untilMs: fromMs + 3 * hourMs }
  return { workspace: firstWorkspaceId, window, groupBy: 'none', origins: originsInView, ...differing }
}

async function endTurn(usage: UsageEntry[], durationMs = 100): Promise<void> {
  const record = turns.begin(turnStart({ apiKeyId: newApiKeyId(), operatorId: newOperatorId(), agent: 'helper' }))
  await record.known
  await record.end(turnEnd({ usage, durationMs }))
}

/** A transaction that runs in any database of the server holds new entries back until it ends. */
async function addAll(entries: number, max?: number): Promise<void> {
  let added = 0
  await vi.waitFor(
    async () => {
      added += await addToSums(fresh.db, held, max)
      expect(added).toBe(entries)
    },
    { timeout: 20_000, interval: 20 },
  )
}

test('a database that was loaded into another server counts what it had and what is new, each once', async () => {
  const turnsOf = async () => (await readUsage(fresh.db, question()))[0]?.sums.turns
  await endTurn([entry()])
  await addAll(1)
  await endTurn([entry()])
  // As from a server whose transactions had come far: one entry is in the sums, one is not.
  const far = '1000000000'
  await fresh.db.system`
    update usage_entries set xid = case when xid < (select xid from usage_mark) then '900000000'::xid8 else '1000000005'::xid8 end`
  await fresh.db.system`update usage_mark set xid = ${far}::text::xid8, seen_xid = ${far}::text::xid8`
  expect(await mendMark(fresh.db)).toBe(true)
  expect(await mendMark(fresh.db)).toBe(false)
  expect(await turnsOf()).toBe(2)
  await endTurn([entry()])
  expect(await turnsOf()).toBe(3)
  await addAll(2)
  expect(await turnsOf()).toBe(3)
  await endTurn([entry()])
  await addAll(1)
  expect(await turnsOf()).toBe(4)
})

test('entries behind the mark are read by its index, whatever the planner knows of the table', async () => {
  await fresh.db.system`
    insert into usage_entries (workspace_id, origin, xid)
    select ${uuidOf(firstWorkspaceId)}::uuid, 'call', '3'::xid8 from generate_series(1, 20000)`
  const plan = await fresh.db.system<{ 'QUERY PLAN': string }>`
    explain with mark as materialized (select xid, at from usage_mark)
    select count(*) from usage_entries where ${behindMark(sql`mark`)}`
  const text = plan.map((line) => line['QUERY PLAN']).join('\n')
  expect(text).toMatch(/usage_entries_\d+_xid_idx/)
  expect(text).not.toMatch(/Seq Scan on usage_entries_\d+/)
})

test('a turn is counted at once, once, and the same after it was added to the sums', async () => {
  await endTurn([entry(), entry({ agent: 'other', agentVersion: 1, model: 'model-b' })])
  await endTurn([entry({ cost: null })])
  const groupings = [
    'none',
    'model',
    'agent',
    'agent_version',
    'key',
    'operator',
    'endpoint',
    'origin',
    'workspace',
  ] as const
  const read = () => Promise.all(groupings.map((groupBy) => readUsage(fresh.db, question({ groupBy }))))
  const sorted = (groups: Awaited<ReturnType<typeof read>>) =>
    groups.map((group) => group.toSorted((one, other) => one.value.localeCompare(other.value)))
  const before = sorted(await read())
  expect(before[0]).toMatchObject([
    {
      value: '',
      sums: {
        turns: 2,
        failed: 0,
        token_in: 33,
        token_cached: 12,
        token_out: 21,
        token_reasoning: 6,
        call: 3,
        unpriced: 1,
      },
    },
  ])
  expect(before[0]?.[0]?.sums.cost).toEqual(new Map([['USD', 2_468n]]))
  expect(before[1]?.map(({ value, sums }) => [value, sums.turns, sums.call])).toEqual([
    ['model-a', 2, 2],
    ['model-b', 0, 1],
  ])
  expect(before[3]?.map(({ value }) => value)).toEqual(['helper@3', 'other@1'])
  await addAll(3)
  expect(sorted(await read())).toEqual(before)
  expect(await addToSums(fresh.db, held)).toBe(0)
  expect(sorted(await read())).toEqual(before)
})

test('sums are kept whole while others write, in steps of any size, and nothing is added under a lost lease', async () => {
  await Promise.all(Array.from({ length: 40 }, () => endTurn([entry()])))
  expect(await addToSums(fresh.db, { ...held, lease: 2 })).toBe(0)
  const writing = Promise.all(Array.from({ length: 60 }, () => endTurn([entry()])))
  let added = 0
  for (let run = 0; run < 60; run++) added += await addToSums(fresh.db, held, 7)
  await writing
  await addAll(100 - added, 7)
  const [all] = await readUsage(fresh.db, question())
  expect(all?.sums.turns).toBe(100)
  const [row] = await fresh.db.system<{ turns: string; entries: string; kept: string }>`
    select (select sum(cost_micro) from turns) as turns, (select sum(micro_units) from usage_entries) as entries,
      (select sum(micro_units) from usage_sums where grain = 'month' and dimension = 'all') as kept`
  expect(row).toEqual({ turns: '123400', entries: '123400', kept: '123400' })
})

test('a turn whose end was lost counts as interrupted, its usage as unknown', async () => {
  const record = turns.begin(turnStart())
  await record.known
  await interruptLostTurns(fresh.db, 7, { running: [], startedBefore: new Date() })
  await addAll(1)
  const [all] = await readUsage(fresh.db, question())
  expect(all?.sums).toMatchObject({ turns: 1, interrupted: 1, unknown: 1, call: 0 })
  const [turn] = await fresh.db.system`select is_usage_unknown from turns`
  expect(turn).toEqual({ is_usage_unknown: true })
})

test('percentiles are within five percent', async () => {
  await Promise.all(Array.from({ length: 100 }, (_, at) => endTurn([entry()], (at + 1) * 10)))
  const [all] = await readUsage(fresh.db, question())
  const { count, p50, p95, p99 } = durations(all?.sums.times ?? new Map())
  expect(count).toBe(100)
  for (const [ms, exact] of [
    [p50, 500],
    [p95, 950],
    [p99, 990],
  ] as const)
    expect(Math.abs((ms ?? 0) - exact) / exact).toBeLessThan(0.05)
})

test('tries of an agent are apart', async () => {
  await endTurn([entry()])
  await fresh.db.system`update usage_entries set origin = 'eval'`
  await addAll(1)
  expect(await readUsage(fresh.db, question())).toEqual([])
  expect(await readUsage(fresh.db, question({ origins: ['eval'] }))).toHaveLength(1)
})

test('a workspace sees its own alone', async () => {
  await endTurn([entry()])
  const other = '00000000-0000-7000-8000-000000000002'
  await fresh.db.system`update usage_entries set workspace_id = ${other}::uuid`
  expect(await readUsage(fresh.db, question())).toEqual([])
  await fresh.db.system`insert into workspaces (id, name) values (${other}::uuid, 'other')`
  const all = await readUsage(fresh.db, question({ workspace: null, groupBy: 'workspace' }))
  expect(all.map(({ value }) => value)).toEqual([other.replaceAll('-', '')])
  expect(uuidOf(firstWorkspaceId)).not.toBe(all[0]?.value)
})

test('a window is read by whole months, days and hours', () => {
  const at = (text: string) => Date.parse(`${text}:00Z`)
  const pieces = piecesOf({ fromMs: at('2026-01-30T22:00'), untilMs: at('2026-03-02T03:00') }, 'month')
  expect(
    pieces.map(
      ({ grain, fromMs, untilMs }) => `${grain} ${new Date(fromMs).toISOString()} ${(untilMs - fromMs) / hourMs}`,
    ),
  ).toEqual([
    'hour 2026-01-30T22:00:00.000Z 2',
    'day 2026-01-31T00:00:00.000Z 24',
    'month 2026-02-01T00:00:00.000Z 672',
    'day 2026-03-01T00:00:00.000Z 24',
    'hour 2026-03-02T00:00:00.000Z 3',
  ])
})
