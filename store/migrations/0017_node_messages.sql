-- phase: expand
-- safe-for: 0.2.0
-- What nodes say to each other where no NATS carries it. Any of it may be lost, so none of it is logged: after a crash of the
-- server both tables are empty.

-- The nodes that read: a message to any other is not kept.
create unlogged table node_mailboxes (
  epoch bigint primary key,
  read_at timestamptz not null default now()
);

create unlogged table node_messages (
  receiver bigint not null,
  id bigint generated always as identity,
  frame bytea not null,
  sent_at timestamptz not null default now(),
  primary key (receiver, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
-- Compression would cost more than it saves for a row that lives for a millisecond.
alter table node_messages alter column frame set storage external;

grant select, insert, update, delete on node_mailboxes, node_messages to service_system;
