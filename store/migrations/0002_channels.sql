-- Channels: who writes to the service, the queue of turns, the outbox, and the events that clients follow.

create table channels (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  -- One name, one channel, in all workspaces: whoever posts a message names the channel and nothing else.
  name text collate "C" not null unique,
  adapter text not null,
  config jsonb not null,
  -- Sealed with the master key.
  secrets text,
  is_enabled boolean not null default true,
  -- Messages are taken and wait; nothing is answered.
  is_paused boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table channel_bindings (
  channel_id uuid not null references channels on delete cascade,
  external_id text collate "C" not null,
  workspace_id uuid not null,
  role text not null,
  name text,
  created_at timestamptz not null default now(),
  created_by text not null,
  primary key (channel_id, external_id)
);

alter table conversations
  add column channel_id uuid,
  add column external_id text collate "C",
  -- Where answers go, as the newest message said.
  add column reply_to jsonb,
  -- Messages up to this one are kept and no longer told to the model.
  add column context_after_seq integer not null default 0,
  add column project_id text,
  add column folder text,
  add column tags text[] not null default '{}',
  add column parent_id uuid;
create unique index conversations_by_sender on conversations (channel_id, external_id) where channel_id is not null;

alter table messages
  -- Where it belongs in the order of turns: an answer stands behind its question, though others were posted before it came.
  add column turn_seq integer,
  add column superseded_by uuid,
  -- What its channel said of it besides: metadata, attachments, when it was written.
  add column details jsonb;

alter table turns drop constraint turns_status_check;
alter table turns
  add constraint turns_status_check
    check (status in ('queued', 'running', 'completed', 'failed', 'cancelled', 'interrupted', 'merged')),
  -- call: its caller waits, and a crash interrupts it. The others wait in the queue, and a crash puts them back.
  add column origin text not null default 'call' check (origin in ('call', 'channel', 'web', 'admin')),
  add column channel_id uuid,
  -- The messages that it answers: of the sender, from one sequence number to the other.
  add column seq_from integer,
  add column seq integer,
  add column attempt integer not null default 0,
  -- Its answer takes the place of those that the same messages had before.
  add column replaces boolean not null default false;
-- What waits is found by its conversation; only what runs is looked for by the start that runs it.
drop index turns_open;
create index turns_running on turns (epoch) where status = 'running';
create index turns_queue on turns (conversation_id, seq) where status in ('queued', 'running') and origin <> 'call';

-- What was taken before, so that it is not taken again.
create table inbound (
  key uuid primary key,
  digest uuid not null,
  message_id uuid not null,
  at timestamptz not null default now()
);
create index inbound_by_age on inbound using brin (at);

create table deliveries (
  id uuid primary key,
  workspace_id uuid not null,
  channel_id uuid not null,
  conversation_id uuid not null,
  turn_id uuid not null,
  message_id uuid not null unique,
  -- Of the message: deliveries of one conversation leave in this order.
  seq integer not null,
  status text not null default 'pending'
    check (status in ('pending', 'sending', 'delivered', 'failed', 'undeliverable', 'cancelled')),
  attempts integer not null default 0,
  -- Tries before an operator asked for it again: they no longer count against its end.
  attempts_forgiven integer not null default 0,
  next_at timestamptz not null default now(),
  expires_at timestamptz not null,
  epoch bigint,
  receipt text,
  reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
) with (fillfactor = 80);
create index deliveries_due on deliveries (channel_id, next_at) where status in ('pending', 'sending', 'failed');
create index deliveries_in_order on deliveries (conversation_id, seq) where status in ('pending', 'sending', 'failed');
create index deliveries_by_workspace on deliveries (workspace_id, id);

create table delivery_attempts (
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

-- Read in the order of (xid, id), up to service_event_horizon(): a row that commits late is not skipped.
create table events (
  id bigint generated always as identity,
  xid xid8 not null default pg_current_xact_id(),
  workspace_id uuid not null,
  kind text not null,
  conversation_id uuid,
  channel_id uuid,
  -- The message, turn or delivery it is about; its fields are read where they stand.
  subject uuid,
  payload json,
  at timestamptz not null default now(),
  primary key (xid, id)
);
create index events_by_conversation on events (conversation_id, xid, id) where conversation_id is not null;
create index events_by_age on events using brin (at);

-- Up to here (exclusive) every transaction of this service in this database has ended: a statement that begins after this
-- one has returned sees all of their events. Others of the server, which a snapshot's xmin waits for too, do not count.
-- As the owner: only who began a session may see which transaction it is in.
create function service_event_horizon() returns xid8 language sql volatile security definer set search_path = pg_catalog as $$
  select (min(horizon)::text)::xid8 from (
    select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as horizon
    union all
    -- Read after the snapshot was taken. Its numbers have 32 bits; those ahead of the snapshot are left out.
    select ended - behind from (
      select ended, (ended - backend_xid::text::bigint) & 4294967295 as behind
      from pg_stat_activity, (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as ended) as snapshot
      where datname = current_database() and backend_xid is not null
    ) as sessions where behind < 2147483648
  ) as horizons
$$;
revoke execute on function service_event_horizon() from public;
grant execute on function service_event_horizon() to service_system;

-- Which sequence of events this is, and up to where it has been deleted.
create table event_feed (
  id uuid not null default gen_random_uuid(),
  deleted_xid xid8 not null default '0',
  deleted_id bigint not null default 0
);
insert into event_feed default values;

create table feedback (
  message_id uuid primary key,
  workspace_id uuid not null,
  rating integer not null check (rating in (-1, 0, 1)),
  comment text,
  given_by text not null,
  at timestamptz not null default now()
);

create table audit_log (
  id uuid primary key,
  workspace_id uuid not null,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  target text,
  before_digest text,
  after_digest text,
  ip text not null,
  request_id text not null
);
create index audit_log_by_workspace on audit_log (workspace_id, id);

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['channels', 'channel_bindings', 'deliveries', 'delivery_attempts', 'events', 'feedback', 'audit_log'] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('alter table %I force row level security', tenant_table);
    execute format(
      'create policy tenant on %I to service_tenant using (workspace_id = service_workspace()) with check (workspace_id = service_workspace())',
      tenant_table);
    execute format('create policy system on %I to service_system using (true) with check (true)', tenant_table);
    execute format('grant select, insert, update, delete on %I to service_tenant, service_system', tenant_table);
  end loop;
end $$;

grant select, insert, update, delete on inbound, event_feed to service_system;
grant select on event_feed to service_tenant;
