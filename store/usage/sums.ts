/**
 * Adds new entries to the sums: each entry once, whatever ends meanwhile. What it takes is told by transactions: all that are
 * older than every one that still runs. Reads add the entries behind the mark, so that nothing is ever missing.
 */
import type { Database } from '../database.ts'
import { type HeldKey, isHeld } from '../nodes/slots.ts'
import { sql } from '../postgres/sql.ts'
import { behindMark, markSlack, summedEntries, timedEntries } from './dimensions.ts'

/** Of one run: a second or two, far from where a statement is ended. */
const entriesMax = 20_000

const grains = sql`(values ('hour'), ('day'), ('month')) as by_grain (grain)`

/** date_trunc by the session's time zone would give each connection days of its own. */
const truncated = sql`date_trunc(grain, hour, 'UTC')`

/** Once for all runs. */
const addSums = sql`insert into usage_sums as kept (workspace_id, grain, dimension, at, value, origin, currency, turns, failed, cancelled,
        interrupted, unknown, estimated, token_in, token_cached, token_out, token_reasoning, second, character, image, call, micro_units)
      select workspace_id, grain, dimension, ${truncated}, value, origin, currency, sum(turns), sum(failed), sum(cancelled),
        sum(interrupted), sum(unknown), sum(estimated), sum(token_in), sum(token_cached), sum(token_out), sum(token_reasoning),
        sum(second), sum(character), sum(image), sum(call), sum(micro_units)
      from (${summedEntries(sql`fresh`)}) as summed cross join ${grains}
      group by workspace_id, grain, dimension, ${truncated}, value, origin, currency
      on conflict (workspace_id, grain, dimension, at, value, origin, currency) do update set
        turns = kept.turns + excluded.turns, failed = kept.failed + excluded.failed,
        cancelled = kept.cancelled + excluded.cancelled, interrupted = kept.interrupted + excluded.interrupted,
        unknown = kept.unknown + excluded.unknown, estimated = kept.estimated + excluded.estimated,
        token_in = kept.token_in + excluded.token_in, token_cached = kept.token_cached + excluded.token_cached,
        token_out = kept.token_out + excluded.token_out, token_reasoning = kept.token_reasoning + excluded.token_reasoning,
        second = kept.second + excluded.second, character = kept.character + excluded.character,
        image = kept.image + excluded.image, call = kept.call + excluded.call, micro_units = kept.micro_units + excluded.micro_units`

const addTimes = sql`insert into usage_times as kept (workspace_id, grain, dimension, at, value, origin, buckets, turns)
      select workspace_id, grain, dimension, at, value, origin, array_agg(bucket order by bucket), array_agg(turns order by bucket)
      from (
        select workspace_id, grain, dimension, ${truncated} as at, value, origin, bucket::smallint, sum(turns)::bigint as turns
        from (${timedEntries(sql`fresh`)}) as timed cross join ${grains}
        group by workspace_id, grain, dimension, ${truncated}, value, origin, bucket
      ) as counted group by workspace_id, grain, dimension, at, value, origin
      on conflict (workspace_id, grain, dimension, at, value, origin) do update set (buckets, turns) = (
        select array_agg(bucket order by bucket), array_agg(turns order by bucket) from (
          select bucket, sum(turns)::bigint as turns from (
            select * from unnest(kept.buckets, kept.turns) union all select * from unnest(excluded.buckets, excluded.turns)
          ) as either (bucket, turns) group by bucket
        ) as both_counted)`

/** @returns how many entries were added. More may wait where these are as many as one run takes */
export async function addToSums(db: Database, held: HeldKey, max = entriesMax): Promise<number> {
  const [row] = await db.system<{ entries: number }>`
    with before as materialized (
      select xid, at from usage_mark where ${isHeld(held)} for update
    ), settled as materialized (
      select pg_snapshot_xmin(pg_current_snapshot()) as xid
    ), oldest as materialized (
      select min(usage_entries.xid) as xid from usage_entries where ${behindMark(sql`before`)}
    ), bound as materialized (
      select coalesce((
        select usage_entries.xid from usage_entries
        -- All of the oldest transaction, however many: no transaction is added in parts.
        where usage_entries.xid > (select xid from oldest) and usage_entries.xid < (select xid from settled)
          and usage_entries.at > (select at from before) - ${markSlack}
        order by usage_entries.xid offset ${max} limit 1
      ), greatest(before.xid, settled.xid)) as xid, before.xid as from_xid, before.at as from_at
      from before, settled
    ), fresh as materialized (
      select usage_entries.* from usage_entries
      where usage_entries.xid >= (select from_xid from bound) and usage_entries.xid < (select xid from bound)
        and usage_entries.at > (select from_at from bound) - ${markSlack}
    ), marked as (
      update usage_mark set xid = bound.xid, at = case when bound.xid >= seen_xid then seen_at else usage_mark.at end,
        seen_at = case when bound.xid >= seen_xid then now() else seen_at end,
        seen_xid = case when bound.xid >= seen_xid then pg_snapshot_xmax(pg_current_snapshot()) else seen_xid end
      from bound
    ), summed as (${addSums}
    ), timed as (${addTimes})
    select count(*)::integer as entries from fresh`
  return row?.entries ?? 0
}
