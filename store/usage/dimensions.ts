/** What usage is summed by: one dimension at a time. */
import { type Fragment, sql } from '../postgres/sql.ts'
import { durationBucket, firstTokenBucket } from './buckets.ts'

/** all: everything of a workspace. agent_version: `name@version`. */
export const dimensions = ['all', 'model', 'agent', 'agent_version', 'key', 'channel', 'operator', 'endpoint'] as const
export type Dimension = (typeof dimensions)[number]

/** Sums that are kept; `micro_units` stands beside them. */
export const sumNames = [
  'turns',
  'failed',
  'cancelled',
  'interrupted',
  'unknown',
  'estimated',
  'token_in',
  'token_cached',
  'token_out',
  'token_reasoning',
  'second',
  'character',
  'image',
  'call',
] as const

/** The rows of one entry's dimensions: a value for each; blank where the entry has none. */
const values = sql`(values ('all', ''), ('model', coalesce(model, '')), ('agent', coalesce(agent, '')),
        ('agent_version', coalesce(agent || '@' || agent_version, '')), ('key', coalesce(replace(api_key_id::text, '-', ''), '')),
        ('channel', coalesce(replace(channel_id::text, '-', ''), '')), ('operator', coalesce(replace(operator_id::text, '-', ''), '')),
        ('endpoint', coalesce(endpoint, ''))) as by_dimension (dimension, value)`

/** Columns that together tell one row of sums from another before it is divided by dimension. */
const whole = sql`workspace_id, origin, model, agent, agent_version, api_key_id, channel_id, operator_id, endpoint`

/** Of entries, a table of the statement: sums by hour and dimension. First together, so that few rows are divided. */
export const summedEntries = (entries: Fragment, only: Fragment = sql`true`): Fragment => sql`
    select workspace_id, hour, dimension, value, origin, currency, sum(turns) as turns, sum(failed) as failed, sum(cancelled) as cancelled,
      sum(interrupted) as interrupted, sum(unknown) as unknown, sum(estimated) as estimated, sum(token_in) as token_in,
      sum(token_cached) as token_cached, sum(token_out) as token_out, sum(token_reasoning) as token_reasoning, sum(second) as second,
      sum(character) as character, sum(image) as image, sum(call) as call, sum(micro_units) as micro_units
    from (
      select ${whole}, date_trunc('hour', at, 'UTC') as hour, coalesce(currency, '') as currency, count(status) as turns,
        count(*) filter (where status = 'failed') as failed, count(*) filter (where status = 'cancelled') as cancelled,
        count(*) filter (where status = 'interrupted') as interrupted, coalesce(sum(unknown), 0) as unknown,
        count(*) filter (where is_estimated) as estimated, coalesce(sum(token_in), 0) as token_in,
        coalesce(sum(token_cached), 0) as token_cached, coalesce(sum(token_out), 0) as token_out,
        coalesce(sum(token_reasoning), 0) as token_reasoning, coalesce(sum(second), 0) as second,
        coalesce(sum(character), 0) as character, coalesce(sum(image), 0) as image, coalesce(sum(call), 0) as call,
        coalesce(sum(micro_units), 0) as micro_units
      from ${entries} as entries group by ${whole}, date_trunc('hour', at, 'UTC'), coalesce(currency, '')
    ) as together cross join lateral ${values}
    where ${only}
    group by workspace_id, hour, dimension, value, origin, currency`

/** Of entries: turns by hour, dimension and bucket. */
export const timedEntries = (entries: Fragment, only: Fragment = sql`true`): Fragment => sql`
    select workspace_id, hour, dimension, value, origin, bucket, sum(turns) as turns
    from (
      select ${whole}, date_trunc('hour', at, 'UTC') as hour, bucket, count(*) as turns
      from ${entries} as entries
        cross join lateral (values (case when duration_ms is not null then ${durationBucket(sql`duration_ms`)} end),
          (case when first_token_ms is not null then ${firstTokenBucket(sql`first_token_ms`)} end)) as measured (bucket)
      where bucket is not null and status = 'completed'
      group by ${whole}, date_trunc('hour', at, 'UTC'), bucket
    ) as together cross join lateral ${values}
    where ${only}
    group by workspace_id, hour, dimension, value, origin, bucket`

/** An entry is as old as its statement, whose transaction is counted when it first writes: none runs so long before. */
export const markSlack = sql`interval '10 minutes'`

/**
 * Entries that are not in the sums, by the mark in a table of the statement. The bound above, which every transaction is below, tells
 * the planner that these are few: a bound that it cannot know alone is a third of all to it, and all would be read.
 */
export const behindMark = (mark: Fragment): Fragment =>
  sql`usage_entries.xid >= (select xid from ${mark}) and usage_entries.xid < '18446744073709551615'::xid8
    and usage_entries.at > (select at from ${mark}) - ${markSlack}`
