-- Links by which operators set a password themselves: one for each operator, used once. Stored by the hash of its text.

create table operator_password_links (
  operator_id uuid primary key references operators on delete cascade,
  hash bytea not null unique check (length(hash) = 32),
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);

grant select, insert, update, delete on operator_password_links to service_system;
