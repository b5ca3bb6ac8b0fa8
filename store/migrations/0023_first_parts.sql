-- phase: expand
-- safe-for: 0.2.0
-- Steps become the first part of a partitioned table. What they may hold is said first, without reading them: up to
-- some weeks ahead, since versions beside this one go on writing to them.

do $$
declare
  bound timestamptz := date_trunc('week', now() at time zone 'UTC') at time zone 'UTC' + interval '3 weeks';
begin
  execute format('alter table turn_steps add constraint turn_steps_first_part check (turn_id < %s) not valid',
    service_partition_key('uuid', bound));
  insert into partitioned_tables (name, key_kind, span) values ('turn_steps', 'uuid', 'week');
  insert into partitions (name, parent, from_at, to_at)
  values ('turn_steps_first', 'turn_steps', null, bound);
  -- These are in parts already, from their beginning.
  insert into partitioned_tables (name, key_kind, span) values ('usage_entries', 'time', 'week');
  insert into partitions (name, parent, from_at, to_at)
  select relname, 'usage_entries', begins, begins + interval '7 days'
  from (
    select relname, (right(relname, 8)::date)::timestamp at time zone 'UTC' as begins
    from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname ~ '^usage_entries_\d{8}$'
  ) as parts;
end $$;
