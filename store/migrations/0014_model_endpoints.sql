-- phase: expand
-- safe-for: 0.2.0
-- Model endpoints beside the one of the settings, of the whole installation. Their keys are secrets of the scope model.

create table model_endpoints (
  name text primary key,
  provider text not null,
  url text not null,
  -- Blank: it wants no key.
  secret_name text not null,
  models text[] not null,
  is_enabled boolean not null,
  position integer not null,
  updated_at timestamptz not null default now(),
  updated_by text not null
);

grant select, insert, update, delete on model_endpoints to service_system;

-- Where there are several endpoints: those that a turn's calls asked, in order, and what came of each.
alter table turns add column endpoints json;
