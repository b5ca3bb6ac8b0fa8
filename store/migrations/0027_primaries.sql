-- phase: expand
-- safe-for: 0.2.0
-- Which primary has granted what the nodes own: after a promotion, or a move to another cluster, all leases are new.

-- One row. Null: no node has looked yet.
create table primaries (
  is_only boolean primary key default true check (is_only),
  cluster text,
  -- Counts up with each promotion.
  timeline integer,
  -- In the upper bits of every lease that was granted since: no lease of an earlier primary equals one of a later.
  generation integer not null default 0
);
insert into primaries default values;
grant select, update on primaries to service_system;

-- The server that the statement runs on. 'unknown' and 0: it does not tell, as some hosted ones.
create function service_primary(out cluster text, out timeline integer) language plpgsql stable
  set search_path = pg_catalog as $$
begin
  cluster := (select system_identifier from pg_control_system());
  timeline := ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer;
exception when insufficient_privilege or feature_not_supported or undefined_function then
  cluster := 'unknown';
  timeline := 0;
end $$;

-- Numbers that the earlier primary has given, and this one has not heard of, are passed over.
grant select, update on sequence instances_epoch_seq to service_system;

-- A promoted server of PostgreSQL 15 and later cannot read the sequence of a table that is not logged: this one is. It begins
-- above what the other may have given.
create sequence node_message_numbers start 1000000000000;
grant usage on sequence node_message_numbers to service_system;
alter table node_messages alter column id drop identity;
alter table node_messages alter column id set default nextval('node_message_numbers');
