-- phase: expand
-- safe-for: 0.2.0
-- Subscriptions: events that are sent out, by webhook or mail; alerts; and tables in parts that are dropped when they are old.

create table subscriptions (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  name text not null,
  kind text not null check (kind in ('webhook', 'mail')),
  -- An address: of a page that takes posts, or of a mailbox.
  target text not null,
  -- In the scope "webhook" of the secrets.
  secret_name text,
  event_kinds text[] not null,
  -- While alerts wait that are not urgent: {"from": "22:00", "to": "07:00", "time_zone": "Europe/Berlin"}.
  quiet_hours json,
  is_enabled boolean not null default true,
  -- Up to here its events have become deliveries.
  cursor_xid xid8 not null,
  cursor_id bigint not null,
  created_at timestamptz not null default now(),
  created_by text not null,
  updated_at timestamptz not null default now()
);
create index subscriptions_by_workspace on subscriptions (workspace_id, id);

create table subscription_deliveries (
  subscription_id uuid not null references subscriptions on delete cascade,
  event_xid xid8 not null,
  event_id bigint not null,
  id uuid not null unique,
  workspace_id uuid not null,
  event_kind text not null,
  event_at timestamptz not null,
  -- What the event is about: deliveries about one thing leave in order.
  subject uuid,
  status text not null default 'pending'
    check (status in ('pending', 'sending', 'delivered', 'failed', 'undeliverable', 'cancelled')),
  attempts integer not null default 0,
  attempts_forgiven integer not null default 0,
  next_at timestamptz not null default now(),
  expires_at timestamptz not null,
  epoch bigint,
  lease_epoch bigint,
  status_code integer,
  reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (subscription_id, event_xid, event_id)
) with (fillfactor = 80);
create index subscription_deliveries_due on subscription_deliveries (subscription_id, next_at)
  where status in ('pending', 'sending', 'failed');
create index subscription_deliveries_by_workspace on subscription_deliveries (workspace_id, id);
create index subscription_deliveries_by_subscription on subscription_deliveries (subscription_id, id);
create index subscription_deliveries_by_subject on subscription_deliveries (subject) where subject is not null;

create table subscription_attempts (
  delivery_id uuid not null,
  attempt integer not null,
  workspace_id uuid not null,
  at timestamptz not null,
  duration_ms real,
  outcome text not null check (outcome in ('delivered', 'failed', 'refused', 'unknown')),
  status_code integer,
  error text,
  primary key (delivery_id, attempt)
);

-- What operators have changed of the rules of the catalogue; null: as the catalogue says.
create table alert_rules (
  workspace_id uuid not null references workspaces,
  rule text not null,
  is_enabled boolean not null default true,
  threshold double precision,
  for_s integer check (for_s >= 0),
  updated_at timestamptz not null default now(),
  updated_by text not null,
  primary key (workspace_id, rule)
);

create table alert_silences (
  workspace_id uuid not null references workspaces,
  rule text not null,
  -- Empty: everything the rule is about.
  subject text not null default '',
  until timestamptz not null,
  reason text not null,
  created_at timestamptz not null default now(),
  created_by text not null,
  primary key (workspace_id, rule, subject)
);

create table alerts (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  rule text not null,
  -- What it is about, such as the id of a channel; empty: the workspace or the installation.
  subject text not null,
  subject_name text,
  state text not null check (state in ('pending', 'firing', 'resolved')),
  value double precision not null,
  threshold double precision not null,
  is_silenced boolean not null default false,
  began_at timestamptz not null default now(),
  -- Since when its condition no longer holds.
  clear_at timestamptz,
  fired_at timestamptz,
  resolved_at timestamptz,
  evaluated_at timestamptz not null default now()
) with (fillfactor = 80);
-- Two that evaluate at once cannot fire one twice.
create unique index alerts_open on alerts (workspace_id, rule, subject) where state <> 'resolved';
create index alerts_by_workspace on alerts (workspace_id, id);

-- Calls to model endpoints as nodes count them, of the last hour: nothing that would be missed after a crash of the server.
create unlogged table endpoint_calls (
  at timestamptz not null default now(),
  node bigint not null,
  endpoint text not null,
  calls integer not null,
  failed integer not null,
  primary key (at, node, endpoint)
);
grant select, insert, delete on endpoint_calls to service_system;

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['subscriptions', 'subscription_deliveries', 'subscription_attempts', 'alert_rules', 'alert_silences', 'alerts'] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('alter table %I force row level security', tenant_table);
    execute format(
      'create policy tenant on %I to service_tenant using (workspace_id = service_workspace()) with check (workspace_id = service_workspace())',
      tenant_table);
    execute format('create policy system on %I to service_system using (true) with check (true)', tenant_table);
    execute format('grant select, insert, update, delete on %I to service_tenant, service_system', tenant_table);
  end loop;
end $$;

-- Tables that are partitioned by time: by a time, or by a UUID of version 7, which begins with one.
create table partitioned_tables (
  name text primary key,
  key_kind text not null check (key_kind in ('uuid', 'time')),
  span text not null check (span in ('day', 'week'))
);
create table partitions (
  name text primary key,
  parent text not null references partitioned_tables,
  -- Null: from the beginning.
  from_at timestamptz,
  to_at timestamptz not null,
  unique (parent, to_at)
);
grant select on partitioned_tables, partitions to service_system;

-- The first key of this kind at this time, as SQL.
create function service_partition_key(key_kind text, at timestamptz) returns text language sql immutable as $$
  select case when key_kind = 'uuid'
    then quote_literal(rpad(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0'), 32, '0')) || '::uuid'
    else quote_literal(to_char(at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') || '+00') || '::timestamptz' end
$$;

-- Makes the partitions that are missing until `until`, one after the other. Made beside the table and then attached, which no
-- reader or writer waits for. As the owner, and only of the tables above. @returns how many
create function service_make_partitions(until timestamptz) returns integer
language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' set lock_timeout = '2s' as $$
declare
  wide partitioned_tables;
  begins timestamptz;
  ends timestamptz;
  partition text;
  made integer := 0;
begin
  perform pg_advisory_xact_lock(hashtext('service_make_partitions'));
  for wide in select * from partitioned_tables order by name loop
    select coalesce(max(to_at), date_trunc(wide.span, now())) into begins from partitions where parent = wide.name;
    while begins < least(until, now() + interval '400 days') loop
      ends := date_trunc(wide.span, begins) + ('1 ' || wide.span)::interval;
      partition := format('%s_%s', wide.name, to_char(begins, 'YYYYMMDD'));
      begin
        execute format('create table %I (like %I including all excluding identity)', partition, wide.name);
        -- It is reached through its parent alone, whose policies hold there.
        execute format('alter table %I enable row level security', partition);
        execute format('alter table %I force row level security', partition);
        execute format('alter table %I attach partition %I for values from (%s) to (%s)', wide.name, partition,
          service_partition_key(wide.key_kind, begins), service_partition_key(wide.key_kind, ends));
        insert into partitions (name, parent, from_at, to_at) values (partition, wide.name, begins, ends);
        made := made + 1;
      exception when check_violation then
        null; -- rows of that time are in a default part already, and stay there
      end;
      begins := ends;
    end loop;
  end loop;
  return made;
end $$;

-- Drops a partition all of whose time has passed. Waits for nobody longer than two seconds: others would wait behind it.
create function service_drop_partition(partition text) returns boolean
language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' set lock_timeout = '2s' as $$
begin
  perform from partitions where name = partition and to_at <= now() - interval '1 day' for update;
  if not found then return false; end if;
  execute format('drop table %I', partition);
  delete from partitions where name = partition;
  return true;
end $$;

revoke execute on function service_make_partitions(timestamptz), service_drop_partition(text) from public;
grant execute on function service_make_partitions(timestamptz), service_drop_partition(text) to service_system;
