-- phase: expand
-- safe-for: 0.2.0
-- The table of steps is in parts from here on, under its name as before: partitioned by week on the identifier of the turn, which
-- begins with its time, so that keys and look-ups stay as they are. Attempts are not: the delivery of an interim message has an
-- identifier without a time. Their indexes are taken over, not built.

do $$
declare
  wide text;
  part text;
  key_column text;
  bound timestamptz;
begin
  foreach wide in array array['turn_steps'] loop
    part := wide || '_first';
    key_column := 'turn_id';
    select to_at into bound from partitions where name = part;
    execute format('alter table %I rename to %I', wide, part);
    execute format('create table %I (like %I including defaults including storage including compression) partition by range (%I)', wide, part, key_column);
    alter table turn_steps add primary key (turn_id, path, n);
    alter index turn_steps_unknown rename to turn_steps_first_unknown;
    create index turn_steps_unknown on turn_steps (workspace_id, started_at) where status = 'unknown';
    execute format('alter table %I attach partition %I for values from (minvalue) to (%s)', wide, part,
      service_partition_key('uuid', bound));
    execute format('alter table %I drop constraint %I', part, wide || '_first_part');
    execute format('alter table %I enable row level security', wide);
    execute format('alter table %I force row level security', wide);
    execute format(
      'create policy tenant on %I to service_tenant using (workspace_id = service_workspace()) with check (workspace_id = service_workspace())', wide);
    execute format('create policy system on %I to service_system using (true) with check (true)', wide);
    execute format('grant select, insert, update, delete on %I to service_tenant, service_system', wide);
    execute format('revoke all on %I from service_tenant, service_system', part);
  end loop;
end $$;

-- The next ones are there before anybody needs them.
select service_make_partitions(now() + interval '7 weeks');
