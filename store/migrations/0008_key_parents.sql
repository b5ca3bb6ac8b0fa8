-- A key that was made with another key ends with that one.

alter table api_keys add column parent_id uuid references api_keys on delete cascade;
create index api_keys_by_parent on api_keys (parent_id) where parent_id is not null;
