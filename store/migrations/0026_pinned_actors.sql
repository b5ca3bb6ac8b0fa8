-- phase: expand
-- safe-for: 0.2.0
-- Actors that live where their socket is: which node has each.

create table pinned_actors (
  kind text not null,
  key text not null,
  node_epoch bigint not null,
  primary key (kind, key)
);
grant select, insert, update, delete on pinned_actors to service_system;
