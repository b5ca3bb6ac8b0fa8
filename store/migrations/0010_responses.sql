-- Responses that can be read again, continued, cancelled and deleted. Each is a turn of a conversation, whose UUID it has.

create table responses (
  id uuid primary key,
  workspace_id uuid not null,
  conversation_id uuid not null,
  previous_id uuid,
  -- The place of the last message of its input.
  seq integer not null,
  -- The fields of its request that it repeats.
  request jsonb not null,
  -- What is known of its answer beside the turn and the message.
  result jsonb,
  created_at timestamptz not null
);
create index responses_by_conversation on responses (conversation_id);
create index responses_by_age on responses (created_at);

alter table responses enable row level security;
alter table responses force row level security;
create policy tenant on responses to service_tenant
  using (workspace_id = service_workspace()) with check (workspace_id = service_workspace());
create policy system on responses to service_system using (true) with check (true);
grant select, insert, update, delete on responses to service_tenant, service_system;

alter table turns drop constraint turns_origin_check;
alter table turns add constraint turns_origin_check
  check (origin in ('call', 'responses', 'channel', 'web', 'admin')) not valid;
alter table turns validate constraint turns_origin_check;
