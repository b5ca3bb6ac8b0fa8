/** Turns and their usage, of a year by default, made by the database itself: what analytics are measured on. */
import type { Database } from '../../store/database.ts'
import type { DatabaseAddress } from '../../store/postgres/address.ts'
import { openPool } from '../../store/postgres/pool.ts'
import type { Query } from '../../store/postgres/query.ts'

export interface YearOptions {
  turns: number
  days: number
  /** The same seed, the same rows. */
  seed: number
}

/** Rows of one statement: a second or two. Sums are made of whole transactions. */
const groupRows = 20_000

/** Later than every transaction. */
const heldXid = '9223372036854775807'

/** How many of each there are; few of them have most of the turns. */
const models = 8
const agents = 12
const keys = 40
const channels = 10
const operators = 20
const endpoints = 4

/**
 * More turns by day than by night, of the service's first workspace; one in a hundred failed. They end before today, so that what
 * is counted meanwhile stays apart. The service may run.
 */
export async function fillYear(
  db: Database,
  { turns, days, seed }: YearOptions,
  say: (line: string) => void,
): Promise<void> {
  await makePastParts(db.address, days)
  const [mark] = await db.system<{ xid: string }>`select xid::text as xid from usage_mark`
  if (!mark) throw new Error('the database has no mark of its sums')
  // Nothing is added to the sums until all is there, and then from the first entry on.
  await db.system`update usage_mark set xid = ${heldXid}::text::xid8`
  try {
    for (let done = 0; done < turns; done += groupRows) {
      await insertTurns(db.system, { from: done + 1, until: Math.min(done + groupRows, turns), turns, days, seed })
      say(`${Math.min(done + groupRows, turns)} of ${turns} turns`)
    }
  } finally {
    await db.system`
      update usage_mark set xid = ${mark.xid}::text::xid8, at = date_trunc('day', now(), 'UTC') - make_interval(days => ${days}::integer + 1),
        seen_xid = pg_current_xact_id(), seen_at = now()`
  }
}

/** So that entries of the past are in weekly parts too, as they would be had the service run. */
async function makePastParts(address: DatabaseAddress, days: number): Promise<void> {
  const owner = openPool(address, { name: 'year', connectionsMax: 1, statementMs: 60_000 })
  try {
    await owner.unsafe(`do $$
      declare
        begins timestamptz := date_trunc('week', now() - interval '${Math.floor(days) + 1} days', 'UTC');
        first timestamptz;
        part text;
      begin
        perform set_config('timezone', 'UTC', true);
        select coalesce(min(from_at), date_trunc('week', now(), 'UTC')) into first from partitions where parent = 'usage_entries';
        while begins < first loop
          part := format('usage_entries_%s', to_char(begins, 'YYYYMMDD'));
          execute format('create table %I (like usage_entries including all)', part);
          execute format('alter table %I enable row level security', part);
          execute format('alter table %I force row level security', part);
          execute format('alter table usage_entries attach partition %I for values from (%L) to (%L)', part, begins, begins + interval '7 days');
          insert into partitions (name, parent, from_at, to_at) values (part, 'usage_entries', begins, begins + interval '7 days');
          begins := begins + interval '7 days';
        end loop;
      end $$`)
  } finally {
    await owner.end()
  }
}

async function insertTurns(
  query: Query,
  { from, until, turns, days, seed }: YearOptions & { from: number; until: number },
): Promise<void> {
  await query`
    with number as materialized (
      select n, md5(${seed}::text || ' ' || n) as hash from generate_series(${from}::integer, ${until}::integer) as n
    ), chance as materialized (
      -- Eight numbers from 0 to 1 of each, the same at every run.
      select n, hash, (('x' || substr(hash, 1, 4))::bit(16)::integer / 65536.0)::float8 as a, (('x' || substr(hash, 5, 4))::bit(16)::integer / 65536.0)::float8 as b,
        (('x' || substr(hash, 9, 4))::bit(16)::integer / 65536.0)::float8 as c, (('x' || substr(hash, 13, 4))::bit(16)::integer / 65536.0)::float8 as d,
        (('x' || substr(hash, 17, 4))::bit(16)::integer / 65536.0)::float8 as e, (('x' || substr(hash, 21, 4))::bit(16)::integer / 65536.0)::float8 as f,
        (('x' || substr(hash, 25, 4))::bit(16)::integer / 65536.0)::float8 as g, (('x' || substr(hash, 29, 4))::bit(16)::integer / 65536.0)::float8 as h
      from number
    ), made as materialized (
      select n, hash, date_trunc('day', now(), 'UTC') - make_interval(days => ${days}::integer - floor((n - 1)::float8 * ${days}::integer / ${turns}::integer)::integer)
          + interval '24 hours' * (a + b + c) / 3 as at,
        1 + floor(${models}::integer * d * d)::integer as model, 1 + floor(${agents}::integer * e * e)::integer as agent,
        1 + floor(${keys}::integer * f * f)::integer as key, 1 + floor(${channels}::integer * g * g)::integer as channel,
        1 + floor(${operators}::integer * h * h)::integer as operator, 1 + floor(${endpoints}::integer * a)::integer as endpoint,
        b < 0.01 as failed, g < 0.4 as by_channel, h < 0.3 as by_operator, 100 + floor(4000 * c * c)::integer as tokens_in,
        20 + floor(800 * d)::integer as tokens_out, (200 * exp(3 * e))::real as duration_ms, (80 * exp(2 * f))::real as first_token_ms
      from chance
    ), row as materialized (
      select made.*, workspace.id as workspace_id,
        -- An identifier begins with its time.
        (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(hash, 1, 3) || '8' || substr(hash, 4, 15))::uuid as id,
        md5('key ' || key)::uuid as api_key_id, case when by_channel then md5('channel ' || channel)::uuid end as channel_id,
        case when by_operator then md5('operator ' || operator)::uuid end as operator_id,
        case when by_channel then 'channel' else 'call' end as origin, case when failed then 'failed' else 'completed' end as status,
        tokens_in * 2 + tokens_out * 8 as micro_units
      from made cross join (select id from workspaces order by id limit 1) as workspace
    ), turn as (
      insert into turns (id, workspace_id, api_key_id, operator_id, request_id, epoch, status, model, is_stream, prompt_tokens, completion_tokens,
        cached_tokens, reasoning_tokens, is_usage_estimated, finish_reason, error_code, time_to_first_token_ms, duration_ms, started_at, agent, agent_version,
        endpoint, cost_micro, currency)
      select id, workspace_id, api_key_id, operator_id, 'year-' || n, 1, status, 'model-' || model, n % 2 = 0, tokens_in, tokens_out, 0, 0, false,
        case when not failed then 'stop' end, case when failed then 'endpoint_down' end, first_token_ms, duration_ms, at, 'agent-' || agent, 1 + agent % 3,
        'endpoint-' || endpoint, micro_units, 'USD'
      from row on conflict (id) do nothing
    )
    insert into usage_entries (at, workspace_id, turn_id, origin, api_key_id, operator_id, channel_id, agent, agent_version, endpoint,
      model_asked, model, status, duration_ms, first_token_ms, is_estimated, token_in, token_out, call, currency, micro_units)
    select at, workspace_id, id, origin, api_key_id, operator_id, channel_id, 'agent-' || agent, 1 + agent % 3, 'endpoint-' || endpoint,
      'model-' || model, 'model-' || model, status, duration_ms, case when not failed then first_token_ms end, false, tokens_in, tokens_out, 1, 'USD', micro_units
    from row`
}
