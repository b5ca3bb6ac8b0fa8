-- Agents, the steps of a turn (model calls and tools, which are also the ledger of effects), and approvals.

create table agents (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  name text collate "C" not null,
  version integer not null default 1,
  definition jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  updated_by text not null,
  -- Deleted ones keep their versions and can be restored.
  deleted_at timestamptz
);
create unique index agents_by_name on agents (workspace_id, name) where deleted_at is null;
create index agents_by_workspace on agents (workspace_id, id);

create table agent_versions (
  agent_id uuid not null references agents on delete cascade,
  version integer not null,
  workspace_id uuid not null,
  name text not null,
  definition jsonb not null,
  saved_at timestamptz not null default now(),
  saved_by text not null,
  primary key (agent_id, version)
);

-- Written before a tool runs and closed after it, so that a turn that is begun again after a crash does nothing twice.
create table turn_steps (
  turn_id uuid not null,
  -- Where in the turn: empty for its main loop, and names of candidates, plan steps and sub-agents joined by slashes.
  path text collate "C" not null,
  n integer not null,
  workspace_id uuid not null,
  kind text not null check (kind in ('model', 'tool')),
  -- unknown: a call that may be made once only was cut short; an operator says what became of it.
  status text not null check (status in ('waiting', 'started', 'succeeded', 'failed', 'unknown')),
  -- The model or the tool.
  name text not null,
  -- The model's own id of a tool call.
  call_id text,
  -- A repeated step must be this one.
  digest uuid not null,
  request json,
  result json,
  prompt_tokens integer,
  completion_tokens integer,
  error_code text,
  started_at timestamptz not null,
  duration_ms real,
  primary key (turn_id, path, n)
);
create index turn_steps_unknown on turn_steps (workspace_id, started_at) where status = 'unknown';

create table approvals (
  id uuid primary key,
  workspace_id uuid not null,
  turn_id uuid not null,
  path text collate "C" not null,
  n integer not null,
  conversation_id uuid,
  agent text not null,
  tool text not null,
  -- What is approved is these arguments, once.
  arguments json not null,
  digest uuid not null,
  status text not null default 'pending' check (status in ('pending', 'approved', 'refused', 'expired', 'cancelled')),
  requested_at timestamptz not null default now(),
  expires_at timestamptz not null,
  decided_at timestamptz,
  decided_by text,
  reason text,
  unique (turn_id, path, n)
);
create index approvals_by_workspace on approvals (workspace_id, id);
create index approvals_pending on approvals (expires_at) where status = 'pending';

-- What outgrew the model's context, told in few words: up to this message.
alter table conversations
  add column summary text,
  add column summary_seq integer not null default 0;

-- waiting: for an operator's word; it holds its place in its conversation and nothing else.
alter table turns drop constraint turns_status_check;
alter table turns
  add constraint turns_status_check
    check (status in ('queued', 'running', 'waiting', 'completed', 'failed', 'cancelled', 'interrupted', 'merged')),
  add column agent text;
drop index turns_queue;
create index turns_queue on turns (conversation_id, seq) where status in ('queued', 'running', 'waiting') and origin <> 'call';
create index turns_waiting on turns (id) where status = 'waiting';

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['agents', 'agent_versions', 'turn_steps', 'approvals'] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('alter table %I force row level security', tenant_table);
    execute format(
      'create policy tenant on %I to service_tenant using (workspace_id = service_workspace()) with check (workspace_id = service_workspace())',
      tenant_table);
    execute format('create policy system on %I to service_system using (true) with check (true)', tenant_table);
    execute format('grant select, insert, update, delete on %I to service_tenant, service_system', tenant_table);
  end loop;
end $$;
