/** Reads the sums of a time: whole months and days of it from their own rows, and what is not summed yet from its entries. */
import type { Database } from '../database.ts'
import { uuidOf, type WorkspaceId } from '../id.ts'
import type { Query } from '../postgres/query.ts'
import { allOf, type Fragment, sql } from '../postgres/sql.ts'
import type { TurnOrigin } from '../turns/origin.ts'
import type { Times } from './buckets.ts'
import { behindMark, type Dimension, summedEntries, sumNames, timedEntries } from './dimensions.ts'

export type Grain = 'hour' | 'day' | 'month'
export type GroupBy = Exclude<Dimension, 'all'> | 'workspace' | 'origin' | 'none'

export interface UsageWindow {
  /** Whole hours. */
  fromMs: number
  untilMs: number
}

export interface UsageQuestion {
  /** Null: all, for the installation. */
  workspace: WorkspaceId | null
  window: UsageWindow
  groupBy: GroupBy
  /** Only these values of `groupBy`. */
  values?: readonly string[] | undefined
  origins: readonly TurnOrigin[]
  /** Absent: the window as one. */
  every?: 'hour' | 'day' | undefined
  /** Without: of a chart of many lines each point would take some fifty rows. */
  withTimes?: boolean | undefined
}

export type UsageSums = Record<(typeof sumNames)[number], number> & {
  /** Calls without a price. */
  unpriced: number
  /** By currency, in millionths. */
  cost: Map<string, bigint>
  times: Map<number, number>
}

export interface UsageGroup {
  /** Blank: none. */
  value: string
  /** Null: the window as one. */
  atMs: number | null
  sums: UsageSums & { times: Times }
}

interface SumRow extends Record<string, unknown> {
  value: string
  at: Date | null
  currency: string
  micro_units: string
}

const dayMs = 86_400_000

/** The largest grains that cover the time exactly. */
export function piecesOf(
  { fromMs, untilMs }: UsageWindow,
  largest: Grain,
): { grain: Grain; fromMs: number; untilMs: number }[] {
  if (fromMs >= untilMs) return []
  if (largest === 'hour') return [{ grain: 'hour', fromMs, untilMs }]
  const isMonth = largest === 'month'
  const firstMs = isMonth ? monthFrom(fromMs) : Math.ceil(fromMs / dayMs) * dayMs
  const lastMs = isMonth ? monthAt(untilMs) : Math.floor(untilMs / dayMs) * dayMs
  const smaller = isMonth ? 'day' : 'hour'
  if (firstMs >= lastMs) return piecesOf({ fromMs, untilMs }, smaller)
  return [
    ...piecesOf({ fromMs, untilMs: firstMs }, smaller),
    { grain: largest, fromMs: firstMs, untilMs: lastMs },
    ...piecesOf({ fromMs: lastMs, untilMs }, smaller),
  ]
}

function monthAt(ms: number): number {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

function monthFrom(ms: number): number {
  const date = new Date(ms)
  const begins = monthAt(ms)
  return begins === ms ? ms : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

/** Sums by value, and by time where it is asked for. */
export async function readUsage(db: Database, question: UsageQuestion): Promise<UsageGroup[]> {
  const { workspace } = question
  const query = workspace === null ? db.system : db.forWorkspace(workspace)
  const [sums, times] = await Promise.all([
    readSums(query, question),
    question.withTimes === false ? [] : readTimes(query, question),
  ])
  const groups = new Map<string, UsageGroup>()
  const groupOf = (value: string, at: Date | null): UsageGroup => {
    const key = `${at?.getTime() ?? ''} ${value}`
    let group = groups.get(key)
    if (!group) {
      group = { value, atMs: at?.getTime() ?? null, sums: noUsage() }
      groups.set(key, group)
    }
    return group
  }
  for (const row of sums) {
    const { sums: into } = groupOf(row.value, row.at)
    for (const name of sumNames) into[name] += Number(row[name])
    if (row.currency === '') into.unpriced += Number(row['call'])
    else into.cost.set(row.currency, (into.cost.get(row.currency) ?? 0n) + BigInt(row.micro_units))
  }
  for (const { value, at, turns } of times) {
    const { sums: into } = groupOf(value, at)
    for (const [bucket, count] of Object.entries(turns)) into.times.set(Number(bucket), count)
  }
  return [...groups.values()]
}

export function noUsage(): UsageSums {
  const zeros = Object.fromEntries(sumNames.map((name) => [name, 0])) as Record<(typeof sumNames)[number], number>
  return { ...zeros, unpriced: 0, cost: new Map(), times: new Map() }
}

/** Of all groups together. */
export function totalOf(groups: readonly UsageGroup[]): UsageSums {
  const total = noUsage()
  for (const { sums } of groups) {
    for (const [name, sum] of Object.entries(sums)) {
      if (typeof sum === 'number') total[name as 'turns'] += sum
    }
    for (const [currency, cost] of sums.cost) total.cost.set(currency, (total.cost.get(currency) ?? 0n) + cost)
    for (const [bucket, turns] of sums.times) total.times.set(bucket, (total.times.get(bucket) ?? 0) + turns)
  }
  return total
}

const sumColumns = sql`sum(turns)::bigint as turns, sum(failed)::bigint as failed, sum(cancelled)::bigint as cancelled,
  sum(interrupted)::bigint as interrupted, sum(unknown)::bigint as unknown, sum(estimated)::bigint as estimated,
  sum(token_in)::bigint as token_in, sum(token_cached)::bigint as token_cached, sum(token_out)::bigint as token_out,
  sum(token_reasoning)::bigint as token_reasoning, sum(second)::bigint as second, sum(character)::bigint as character,
  sum(image)::bigint as image, sum(call)::bigint as call, sum(micro_units)::text as micro_units`

async function readSums(query: Query, question: UsageQuestion): Promise<SumRow[]> {
  const { value, at } = keysOf(question)
  return await query<SumRow>`
    with ${unsummed(question)}
    select ${value} as value, ${at} as at, currency, ${sumColumns}
    from (
      ${storedSums(question)}
      union all
      select workspace_id, hour as at, value, origin, currency, turns, failed, cancelled, interrupted, unknown, estimated, token_in,
        token_cached, token_out, token_reasoning, second, character, image, call, micro_units
      from (${summedEntries(sql`fresh`, ofDimension(question))}) as summed
      where ${conditions(question)}
    ) as rows group by 1, 2, currency`
}

function storedSums(question: UsageQuestion): Fragment {
  return unionOf(
    question,
    (
      range,
    ) => sql`select workspace_id, at, value, origin, currency, turns, failed, cancelled, interrupted, unknown, estimated, token_in,
        token_cached, token_out, token_reasoning, second, character, image, call, micro_units
      from usage_sums where ${range}`,
  )
}

/** Turns by bucket, of each group as one value: a year by days has some fifty buckets a day. */
async function readTimes(
  query: Query,
  question: UsageQuestion,
): Promise<{ value: string; at: Date | null; turns: Record<string, number> }[]> {
  const { value, at } = keysOf(question)
  return await query<{ value: string; at: Date | null; turns: Record<string, number> }>`
    with ${unsummed(question)}
    select value, at, json_object_agg(bucket, turns) as turns from (select ${value} as value, ${at} as at, bucket, sum(turns) as turns
    from (
      ${unionOf(
        question,
        (range) => sql`select workspace_id, at, value, origin, counted.bucket, counted.turns
          from usage_times cross join lateral unnest(buckets, usage_times.turns) as counted (bucket, turns) where ${range}`,
      )}
      union all
      select workspace_id, hour, value, origin, bucket, turns
      from (${timedEntries(sql`fresh`, ofDimension(question))}) as timed
      where ${conditions(question)}
    ) as rows group by 1, 2, bucket) as counted group by value, at`
}

/** Entries of the window behind the mark: the same snapshot has the sums up to it. */
function unsummed({ workspace, window }: UsageQuestion): Fragment {
  const only = workspace === null ? sql`true` : sql`usage_entries.workspace_id = ${uuidOf(workspace)}::uuid`
  return sql`mark as materialized (select xid, at from usage_mark), fresh as materialized (
      select usage_entries.* from usage_entries where ${behindMark(sql`mark`)} and ${only} and usage_entries.at >= ${new Date(window.fromMs)} and usage_entries.at < ${new Date(window.untilMs)}
    )`
}

function dimensionOf({ groupBy }: UsageQuestion): Dimension {
  return groupBy === 'workspace' || groupBy === 'origin' || groupBy === 'none' ? 'all' : groupBy
}

const ofDimension = (question: UsageQuestion): Fragment => sql`dimension = ${dimensionOf(question)}::text`

function keysOf({ groupBy, every }: UsageQuestion): { value: Fragment; at: Fragment } {
  const value =
    groupBy === 'workspace'
      ? sql`replace(workspace_id::text, '-', '')`
      : groupBy === 'origin'
        ? sql`origin`
        : sql`value`
  return { value, at: every ? sql`date_trunc(${every}::text, at, 'UTC')` : sql`null::timestamptz` }
}

/** Of rows with the columns of sums. */
function conditions(question: UsageQuestion): Fragment {
  const { origins, values } = question
  const of = [sql`origin = any(${[...origins]}::text[])`]
  if (values) of.push(sql`${keysOf(question).value} = any(${[...values]}::text[])`)
  return allOf(of)
}

function unionOf(question: UsageQuestion, select: (range: Fragment) => Fragment): Fragment {
  const { workspace, window, every } = question
  const ofWorkspace =
    workspace === null
      ? sql`workspace_id in (select id from workspaces)`
      : sql`workspace_id = ${uuidOf(workspace)}::uuid`
  const pieces = piecesOf(window, every ?? 'month')
  const selects = pieces.map(({ grain, fromMs, untilMs }) =>
    select(
      sql`${ofWorkspace} and grain = ${grain}::text and ${ofDimension(question)} and at >= ${new Date(fromMs)} and at < ${new Date(untilMs)}
        and ${conditions(question)}`,
    ),
  )
  return selects.reduce((all, one) => sql`${all} union all ${one}`)
}

/** The beginning of its hour. */
export const wholeHour = (ms: number): number => ms - (ms % 3_600_000)
