-- phase: expand
-- safe-for: 0.2.0
-- What turns use and cost: an entry for each agent and model of a turn, sums of them by hour, day and month, prices, budgets.

alter table turns
  add column operator_id uuid,
  -- 0: an agent that nobody has written; null: the model answered by itself.
  add column agent_version integer,
  add column endpoint text,
  add column cached_tokens integer,
  add column reasoning_tokens integer,
  -- Null: none of it has a price.
  add column cost_micro bigint,
  add column currency text,
  -- It was ended from outside while it ran: what its calls used nobody counted.
  add column is_usage_unknown boolean;

-- Prices of a model, whole: of an endpoint, or blank for all. Each is of a million units, in millionths of the currency.
create table prices (
  id bigint generated always as identity primary key,
  endpoint text not null,
  model text not null,
  currency text not null,
  from_at timestamptz not null,
  until_at timestamptz check (until_at > from_at),
  token_in bigint check (token_in >= 0),
  token_cached bigint check (token_cached >= 0),
  token_out bigint check (token_out >= 0),
  token_reasoning bigint check (token_reasoning >= 0),
  second bigint check (second >= 0),
  character bigint check (character >= 0),
  image bigint check (image >= 0),
  call bigint check (call >= 0),
  created_at timestamptz not null default now(),
  created_by text not null,
  unique (endpoint, model, from_at)
);
grant select, insert, update, delete on prices to service_system;
grant select on prices to service_tenant;

-- One row for each agent, endpoint and model of a turn; units that were not used are null.
create table usage_entries (
  at timestamptz not null default now(),
  -- Of the transaction that wrote it: sums take all that are older than every transaction that runs.
  xid xid8 not null default pg_current_xact_id(),
  workspace_id uuid not null,
  turn_id uuid,
  origin text not null,
  api_key_id uuid,
  operator_id uuid,
  channel_id uuid,
  agent text,
  agent_version integer,
  endpoint text,
  model_asked text,
  model text,
  -- Of the turn, in one of its rows; null in the others, and where there is no turn.
  status text,
  duration_ms real,
  first_token_ms real,
  -- Turns whose usage is unknown: 1, and -1 where it was found out later.
  unknown smallint,
  is_estimated boolean,
  token_in bigint,
  -- Of token_in.
  token_cached bigint,
  token_out bigint,
  -- Of token_out.
  token_reasoning bigint,
  second bigint,
  character bigint,
  image bigint,
  call bigint,
  price_id bigint,
  currency text,
  micro_units bigint
) partition by range (at);
create index usage_entries_by_xid on usage_entries (xid);
create index usage_entries_by_turn on usage_entries (turn_id);

-- So that nothing is ever refused; rows come here only where no part was made ahead.
create table usage_entries_default partition of usage_entries default;

do $$
declare
  begins timestamptz := date_trunc('week', now(), 'UTC');
  part text;
begin
  for n in 0..8 loop
    part := format('usage_entries_%s', to_char(begins at time zone 'UTC', 'YYYYMMDD'));
    execute format('create table %I partition of usage_entries for values from (%L) to (%L)', part, begins, begins + interval '7 days');
    execute format('alter table %I enable row level security', part);
    execute format('alter table %I force row level security', part);
    begins := begins + interval '7 days';
  end loop;
end $$;
alter table usage_entries_default enable row level security;
alter table usage_entries_default force row level security;

-- Sums of entries by grain (hour, day, month, in UTC) and by one dimension at a time: every view reads few rows.
create table usage_sums (
  workspace_id uuid not null,
  grain text not null check (grain in ('hour', 'day', 'month')),
  dimension text not null,
  at timestamptz not null,
  value text not null,
  origin text not null,
  -- Blank: of entries without a price.
  currency text not null,
  turns bigint not null,
  failed bigint not null,
  cancelled bigint not null,
  interrupted bigint not null,
  unknown bigint not null,
  estimated bigint not null,
  token_in bigint not null,
  token_cached bigint not null,
  token_out bigint not null,
  token_reasoning bigint not null,
  second bigint not null,
  character bigint not null,
  image bigint not null,
  call bigint not null,
  micro_units numeric not null,
  primary key (workspace_id, grain, dimension, at, value, origin, currency)
) with (fillfactor = 70);

-- How many turns took so long: buckets as store/usage/buckets.ts has them.
create table usage_times (
  workspace_id uuid not null,
  grain text not null check (grain in ('hour', 'day', 'month')),
  dimension text not null,
  at timestamptz not null,
  value text not null,
  origin text not null,
  bucket smallint not null,
  turns bigint not null,
  primary key (workspace_id, grain, dimension, at, value, origin, bucket)
) with (fillfactor = 70);

-- Up to which transaction entries are in the sums; what is not began at `at` or later. A transaction after `seen_xid` began
-- after `seen_at`, which becomes `at` once entries up to there are in the sums.
create table usage_mark (
  is_only boolean primary key default true check (is_only),
  xid xid8 not null,
  at timestamptz not null,
  seen_xid xid8 not null,
  seen_at timestamptz not null
);
insert into usage_mark (xid, at, seen_xid, seen_at) values (pg_current_xact_id(), now(), pg_current_xact_id(), now());
grant select, update on usage_mark to service_system;
grant select on usage_mark to service_tenant;

-- How much a workspace, a key, an operator, an agent or turns of one origin may cost, or use, in a day or a month.
create table budgets (
  id uuid primary key,
  workspace_id uuid not null,
  subject text not null check (subject in ('workspace', 'key', 'operator', 'agent', 'origin')),
  -- The id or the name of the subject; blank: the workspace.
  value text not null,
  period text not null check (period in ('day', 'month')),
  unit text not null check (unit in ('micro_units', 'tokens')),
  -- Blank: tokens have none.
  currency text not null,
  soft_limit bigint check (soft_limit > 0),
  hard_limit bigint check (hard_limit > 0),
  -- Of the period in which it was last said that the limit was reached.
  soft_reached_at timestamptz,
  hard_reached_at timestamptz,
  updated_at timestamptz not null default now(),
  updated_by text not null,
  unique (workspace_id, subject, value, period, unit),
  check (soft_limit is not null or hard_limit is not null)
);

alter table api_keys add column rate_limit_tpm integer check (rate_limit_tpm > 0);

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['usage_entries', 'usage_sums', 'usage_times', 'budgets'] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('alter table %I force row level security', tenant_table);
    execute format(
      'create policy tenant on %I to service_tenant using (workspace_id = service_workspace()) with check (workspace_id = service_workspace())',
      tenant_table);
    execute format('create policy system on %I to service_system using (true) with check (true)', tenant_table);
    execute format('grant select, insert, update, delete on %I to service_tenant, service_system', tenant_table);
  end loop;
end $$;
