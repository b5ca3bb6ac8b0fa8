-- Secrets of the installation by scope and name, sealed under the master key. No workspace's role reaches them.

create table secrets (
  scope text not null,
  name text not null,
  value text not null,
  updated_at timestamptz not null default now(),
  updated_by text not null,
  primary key (scope, name)
);

grant select, insert, update, delete on secrets to service_system;
