-- The audit log as a chain: each entry holds the hash of the one before it in its workspace, so that a changed or removed
-- one shows. The application's roles add and read entries and do nothing else to them; what is old goes through one function.

alter table audit_log
  add column seq bigint,
  add column prev_hash bytea,
  add column hash bytea,
  -- What of the change may be seen by whoever reads the log: {"before": …, "after": …}.
  add column detail jsonb,
  -- In the text that is hashed a time is written with four digits of its year.
  add constraint audit_log_at_plain check (at >= '1970-01-01' and at < '10000-01-01');

-- Who owns the tables acts in the functions below. Row-level security is forced, so its owner needs a policy too.
do $$
begin
  execute format('create policy owner on audit_log to %I using (true) with check (true)', current_user);
end $$;

-- The newest entry of each workspace. Its row is what writers of one workspace take turns by, until they commit.
create table audit_heads (
  workspace_id uuid primary key,
  seq bigint not null,
  hash bytea not null check (length(hash) = 32)
) with (fillfactor = 50);

-- What the retention has deleted: where the chain goes on, and from when that is known.
create table audit_checkpoints (
  workspace_id uuid not null,
  first_seq bigint not null,
  last_seq bigint not null check (last_seq >= first_seq),
  -- Of the last entry that was deleted.
  hash bytea not null check (length(hash) = 32),
  older_than timestamptz not null,
  at timestamptz not null default clock_timestamp(),
  primary key (workspace_id, last_seq)
);

do $$
declare
  kept text;
begin
  foreach kept in array array['audit_heads', 'audit_checkpoints'] loop
    execute format('alter table %I enable row level security', kept);
    execute format('create policy system on %I to service_system using (true)', kept);
    execute format('revoke all on %I from public', kept);
    execute format('grant select on %I to service_system', kept);
  end loop;
end $$;

-- What is hashed: strings and nulls only, so that there is one way to write it, which any JSON library knows.
create function service_audit_text(entry audit_log) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
  select jsonb_build_array(
    'service-audit-1',
    encode(entry.prev_hash, 'hex'),
    entry.seq::text,
    entry.id::text,
    entry.workspace_id::text,
    to_char(entry.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    entry.actor,
    entry.action,
    entry.target,
    entry.before_digest,
    entry.after_digest,
    entry.ip,
    entry.request_id,
    entry.detail::text
  )::text
$$;

-- The entries that are there already, in the order in which they were made.
do $$
declare
  entry audit_log;
  workspace uuid;
  previous bytea;
  place bigint;
begin
  for entry in select * from audit_log order by workspace_id, at, id loop
    if entry.workspace_id is distinct from workspace then
      workspace := entry.workspace_id;
      previous := decode(repeat('00', 32), 'hex');
      place := 0;
    end if;
    place := place + 1;
    entry.seq := place;
    entry.prev_hash := previous;
    previous := sha256(convert_to(service_audit_text(entry), 'UTF8'));
    update audit_log set seq = place, prev_hash = entry.prev_hash, hash = previous where id = entry.id;
  end loop;
end $$;
insert into audit_heads (workspace_id, seq, hash)
select distinct on (workspace_id) workspace_id, seq, hash from audit_log order by workspace_id, seq desc;

alter table audit_log
  alter column seq set not null,
  alter column prev_hash set not null,
  alter column hash set not null;

create unique index audit_log_by_seq on audit_log (workspace_id, seq);
create index audit_log_by_actor on audit_log (workspace_id, actor, id);
create index audit_log_by_action on audit_log (workspace_id, action text_pattern_ops, id);
create index audit_log_by_at on audit_log (workspace_id, at);
-- An index holds no text of any length; entries of this version have none that is longer.
create index audit_log_by_target on audit_log (workspace_id, target, id) where length(target) <= 500;

-- As the owner, so that whoever adds an entry can neither choose its place nor touch the head.
create function service_audit_link() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- Held until the writer commits: the next one sees what this one made of it.
  select seq, hash into new.seq, new.prev_hash from public.audit_heads where workspace_id = new.workspace_id for update;
  if not found then
    insert into public.audit_heads (workspace_id, seq, hash) values (new.workspace_id, 0, decode(repeat('00', 32), 'hex'))
    on conflict (workspace_id) do nothing;
    select seq, hash into strict new.seq, new.prev_hash from public.audit_heads where workspace_id = new.workspace_id for update;
  end if;
  new.seq := new.seq + 1;
  new.hash := sha256(convert_to(public.service_audit_text(new), 'UTF8'));
  update public.audit_heads set seq = new.seq, hash = new.hash where workspace_id = new.workspace_id;
  return new;
end $$;
revoke execute on function service_audit_link() from public;
create trigger audit_log_link before insert on audit_log for each row execute function service_audit_link();

/*
 * Deletes the oldest entries of all workspaces, at most `rows_max`, and leaves a checkpoint for each run of them: only
 * what is older than `older_than` and than a day, whole days, and only what is whole. A chain that is broken stays as it
 * is: it is the evidence.
 */
create function service_audit_prune(older_than timestamptz, rows_max integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  bound timestamptz;
  room integer := least(rows_max, 10000);
  total integer := 0;
  workspace uuid;
  known record;
  oldest record;
begin
  if older_than is null or room is null or not isfinite(older_than) then return 0; end if;
  bound := date_trunc('day', least(older_than, now() - interval '1 day') at time zone 'UTC') at time zone 'UTC';
  if not pg_try_advisory_xact_lock(7305870215) then return 0; end if; -- another process is at it
  for workspace in select workspace_id from public.audit_heads order by workspace_id loop
    exit when room <= 0;
    select seq, at into oldest from public.audit_log where workspace_id = workspace order by seq limit 1;
    continue when oldest.at is null or oldest.at >= bound;
    select last_seq, hash into known from public.audit_checkpoints where workspace_id = workspace order by last_seq desc limit 1;
    if not found then select 0::bigint, decode(repeat('00', 32), 'hex') into known.last_seq, known.hash; end if;
    with first_rows as materialized (
      select entry, entry.seq, entry.at, entry.prev_hash, entry.hash from public.audit_log entry
      where workspace_id = workspace order by seq limit room
    ), old as (
      select *, lag(first_rows.hash) over (order by seq) as behind, row_number() over (order by seq) as place from first_rows
      where seq < coalesce((select min(seq) from first_rows where at >= bound), 9223372036854775807)
    )
    select count(*)::integer as rows, min(seq) as first_seq, max(seq) as last_seq, (array_agg(old.hash order by seq desc))[1] as hash,
      bool_and(seq = known.last_seq + place and prev_hash = coalesce(behind, known.hash)
        and old.hash = sha256(convert_to(public.service_audit_text(entry), 'UTF8'))) as is_whole
    into oldest from old;
    if not oldest.is_whole then
      raise warning 'the audit log of workspace % is not whole: nothing of it is deleted', workspace;
      continue;
    end if;
    insert into public.audit_checkpoints (workspace_id, first_seq, last_seq, hash, older_than)
    values (workspace, oldest.first_seq, oldest.last_seq, oldest.hash, bound);
    delete from public.audit_log where workspace_id = workspace and seq <= oldest.last_seq;
    room := room - oldest.rows;
    total := total + oldest.rows;
  end loop;
  return total;
end $$;
revoke execute on function service_audit_prune(timestamptz, integer) from public;
grant execute on function service_audit_prune(timestamptz, integer) to service_system;

revoke update, delete, truncate on audit_log from service_tenant, service_system;
