-- phase: expand
-- safe-for: 0.2.0
-- The tables of steps and attempts are parts from here on, under their names as before: partitioned by week on the identifier,
-- which begins with its time, so that keys and look-ups stay as they are. Their indexes are taken over, not built.

do $$
declare
  wide text;
  part text;
  key_column text;
  bound timestamptz;
begin
  foreach wide in array array['turn_steps', 'delivery_attempts'] loop
    part := wide || '_first';
    key_column := case wide when 'turn_steps' then 'turn_id' else 'delivery_id' end;
    select to_at into bound from partitions where name = part;
    execute format('alter table %I rename to %I', wide, part);
    execute format('create table %I (like %I including defaults including storage including compression) partition by range (%I)', wide, part, key_column);
    if wide = 'turn_steps' then
      alter table turn_steps add primary key (turn_id, path, n);
      alter index turn_steps_unknown rename to turn_steps_first_unknown;
      create index turn_steps_unknown on turn_steps (workspace_id, started_at) where status = 'unknown';
    else
      alter table delivery_attempts add primary key (delivery_id, attempt);
    end if;
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
