-- phase: expand
-- safe-for: 0.2.0
-- Media: what was uploaded, its bytes by their digest, and what uses it.

-- Bytes on the disk, of all workspaces: the same file is kept once.
create table media_blobs (
  sha256 bytea primary key check (length(sha256) = 32),
  bytes bigint not null check (bytes >= 0),
  uses integer not null check (uses >= 0),
  -- Since when nothing uses it; it is deleted a little later.
  unused_at timestamptz
);
create index media_blobs_unused on media_blobs (unused_at) where uses = 0;
grant select, insert, update, delete on media_blobs to service_system;
alter table media_blobs enable row level security;
alter table media_blobs force row level security;
create policy system on media_blobs to service_system using (true) with check (true);

create table media (
  id uuid primary key,
  workspace_id uuid not null,
  owner text not null,
  -- Of a ticket's upload: only its tickets reach it.
  conversation_id uuid,
  status text not null check (status in ('pending', 'ready')),
  filename text not null,
  purpose text,
  -- As the client called it: a note, and nothing is decided by it.
  declared_type text,
  declared_bytes bigint check (declared_bytes >= 0),
  declared_sha256 bytea check (length(declared_sha256) = 32),
  -- As its bytes look; null until they are there.
  content_type text,
  bytes bigint check (bytes >= 0),
  sha256 bytea references media_blobs (sha256),
  -- Which node has the bytes that have come so far.
  part_node bigint,
  created_at timestamptz not null default now(),
  ready_at timestamptz,
  check ((status = 'ready') = (sha256 is not null and bytes is not null and content_type is not null and ready_at is not null))
);
create index media_by_workspace on media (workspace_id, id desc);
create index media_pending on media (created_at) where status = 'pending';
create index media_ready on media (ready_at) where status = 'ready';
create index media_by_blob on media (sha256);

-- What uses a file keeps it: `id` is that of the message, artifact or whatever `kind` says.
create table media_references (
  media_id uuid not null references media (id),
  workspace_id uuid not null,
  kind text not null,
  id uuid not null,
  primary key (media_id, kind, id)
);
create index media_references_by_user on media_references (kind, id);

-- How much a workspace has.
create table media_usage (
  workspace_id uuid primary key,
  files bigint not null check (files >= 0),
  bytes bigint not null check (bytes >= 0)
);

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['media', 'media_references', 'media_usage'] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('alter table %I force row level security', tenant_table);
    execute format(
      'create policy tenant on %I to service_tenant using (workspace_id = service_workspace()) with check (workspace_id = service_workspace())',
      tenant_table);
    execute format('create policy system on %I to service_system using (true) with check (true)', tenant_table);
    execute format('grant select, insert, update, delete on %I to service_tenant, service_system', tenant_table);
  end loop;
end $$;
