-- phase: expand
-- safe-for: 0.2.0
-- Many processes on one database: who they are, which slots of conversations, channels and tasks are whose, and under which
-- lease each turn and each delivery is worked at.

alter table instances
  -- Null: a version that does not say that it lives.
  add column expires_at timestamptz,
  -- It did not say in time that it lives, and others have taken what was its own.
  add column lost_at timestamptz;

-- An actor's key falls into one of these. lease_epoch counts up with each change of hands; what was begun under an earlier one
-- changes nothing any more.
create table slots (
  slot smallint primary key check (slot between 0 and 255),
  node_epoch bigint,
  lease_epoch bigint not null default 0
) with (fillfactor = 50);
insert into slots (slot) select generate_series(0, 255);
grant select, update on slots to service_system;

-- The last byte of a UUID of version 7 is random.
create function service_slot(id uuid) returns integer language sql immutable parallel safe
  as $$ select get_byte(uuid_send(id), 15) $$;

-- Of the slot of its conversation, or of its channel; null: a call of its own, which is fenced by the epoch of its node.
alter table turns add column lease_epoch bigint;
alter table deliveries add column lease_epoch bigint;
