-- Workspaces, settings, keys, conversations and turns. Row-level security from the start.

-- Whatever acts for one workspace runs as service_tenant with service.workspace_id set; what crosses workspaces runs as
-- service_system. Roles belong to the whole server, so they may be there already.
do $$
begin
  if not exists (select from pg_roles where rolname = 'service_system') then
    create role service_system nologin;
  end if;
  if not exists (select from pg_roles where rolname = 'service_tenant') then
    create role service_tenant nologin;
  end if;
exception when duplicate_object or unique_violation then
  null; -- another database of this server made them at the same moment
end $$;

do $$
begin
  if not pg_has_role(current_user, 'service_system', 'member') or not pg_has_role(current_user, 'service_tenant', 'member') then
    execute format('grant service_system, service_tenant to %I', current_user);
  end if;
end $$;

grant usage on schema public to service_system, service_tenant;

-- The workspace of the statement. No setting: no rows.
create function service_workspace() returns uuid language sql stable parallel safe as
  $$ select nullif(current_setting('service.workspace_id', true), '')::uuid $$;

create table workspaces (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null default now()
);
insert into workspaces (id, name) values ('00000000-0000-7000-8000-000000000001', 'default');

-- One row a start of the service: its number is the epoch of the turns it runs.
create table instances (
  epoch bigint generated always as identity primary key,
  version text not null,
  pid integer not null,
  started_at timestamptz not null default now(),
  stopped_at timestamptz
);

create table settings (
  key text primary key,
  value text not null,
  is_sealed boolean not null,
  updated_at timestamptz not null default now(),
  updated_by text not null
);

create table api_keys (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  name text not null,
  kind text not null check (kind in ('service', 'personal')),
  hash bytea not null unique check (length(hash) = 32),
  hint text not null,
  scopes text[] not null,
  rate_limit_rpm integer check (rate_limit_rpm > 0),
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  created_by text not null
);
create index api_keys_by_workspace on api_keys (workspace_id, id);

-- No foreign keys from here on: rows are written by the thousand, by one writer that made the ids.
create table conversations (
  id uuid primary key,
  workspace_id uuid not null,
  title text not null default '',
  last_seq integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
) with (fillfactor = 70);
create index conversations_by_workspace on conversations (workspace_id, id);

create table messages (
  conversation_id uuid not null,
  seq integer not null,
  id uuid not null unique,
  workspace_id uuid not null,
  turn_id uuid not null,
  role text not null,
  body jsonb not null,
  created_at timestamptz not null default now(),
  primary key (conversation_id, seq)
);

create table turns (
  id uuid primary key,
  workspace_id uuid not null,
  conversation_id uuid,
  api_key_id uuid,
  request_id text not null,
  epoch bigint not null,
  status text not null check (status in ('queued', 'running', 'completed', 'failed', 'cancelled', 'interrupted')),
  model text not null,
  is_stream boolean not null,
  prompt_tokens integer,
  completion_tokens integer,
  is_usage_estimated boolean,
  finish_reason text,
  error_code text,
  error_message text,
  time_to_first_token_ms real,
  duration_ms real,
  started_at timestamptz not null
) with (fillfactor = 80);
create index turns_by_workspace on turns (workspace_id, id);
create index turns_by_conversation on turns (conversation_id, id) where conversation_id is not null;
create index turns_open on turns (epoch) where status in ('queued', 'running');

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['api_keys', 'conversations', 'messages', 'turns'] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('alter table %I force row level security', tenant_table);
    execute format(
      'create policy tenant on %I to service_tenant using (workspace_id = service_workspace()) with check (workspace_id = service_workspace())',
      tenant_table);
    execute format('create policy system on %I to service_system using (true) with check (true)', tenant_table);
    execute format('grant select, insert, update, delete on %I to service_tenant, service_system', tenant_table);
  end loop;
end $$;

alter table workspaces enable row level security;
alter table workspaces force row level security;
create policy tenant on workspaces to service_tenant using (id = service_workspace());
create policy system on workspaces to service_system using (true) with check (true);
grant select on workspaces to service_tenant;
grant select, insert, update, delete on workspaces to service_system;

grant select, insert, update, delete on settings, instances to service_system;
grant select on schema_migrations to service_system;
