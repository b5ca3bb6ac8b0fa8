-- Operators: who may sign in to the control plane, with what, in which role, and their sessions. Keys get owners,
-- addresses and the time of their last use.

-- Since PostgreSQL 16 whoever may create roles can give those that it made to others, but cannot act as them: without being
-- a superuser it has to give them to itself first.
do $$
declare
  worn text;
begin
  if current_setting('server_version_num')::integer >= 160000 then
    foreach worn in array array['service_system', 'service_tenant'] loop
      if not pg_has_role(current_user, worn, 'set') then execute format('grant %I to %I', worn, current_user); end if;
    end loop;
  end if;
end $$;

-- Ports of one host share cookies, so the cookie of this installation's sessions has a name of its own.
create table installation (
  id uuid primary key default gen_random_uuid(),
  made_at timestamptz not null default now()
);
insert into installation default values;

-- Operators belong to the installation; what they may do is held in a workspace.
create table operators (
  id uuid primary key,
  -- In lower case: two logins that differ in case only would be taken for each other.
  login text collate "C" not null unique check (login = lower(login) and length(login) between 1 and 200),
  name text not null default '',
  -- Argon2id. Null: this one signs in by other ways only.
  password_hash text,
  is_disabled boolean not null default false,
  -- Sealed. Confirmed: a code of it was shown once, so that it counts.
  totp_secret text,
  totp_confirmed_at timestamptz,
  -- The step of the newest code that was taken: no code is taken twice.
  totp_step bigint not null default 0,
  created_at timestamptz not null default now(),
  created_by text not null,
  signed_in_at timestamptz
);

create table operator_roles (
  operator_id uuid not null references operators on delete cascade,
  workspace_id uuid not null references workspaces,
  role text not null check (role in ('owner', 'admin', 'operator', 'auditor', 'user')),
  granted_at timestamptz not null default now(),
  granted_by text not null,
  primary key (operator_id, workspace_id)
);
create index operator_roles_by_workspace on operator_roles (workspace_id, operator_id);

create table operator_passkeys (
  -- The credential's id as the browser has it, base64url.
  id text collate "C" primary key check (length(id) between 1 and 1400),
  operator_id uuid not null references operators on delete cascade,
  public_key bytea not null,
  -- Raised by the authenticator with each use; one that goes back is a copy.
  counter bigint not null,
  transports text[] not null default '{}',
  name text not null,
  created_at timestamptz not null default now(),
  used_at timestamptz
);
create index operator_passkeys_by_operator on operator_passkeys (operator_id);

-- SHA-256 of codes that stand in once each for a lost second factor.
create table operator_recovery_codes (
  operator_id uuid not null references operators on delete cascade,
  hash bytea not null check (length(hash) = 32),
  used_at timestamptz,
  primary key (operator_id, hash)
);

create table operator_sessions (
  id uuid primary key,
  -- SHA-256 of the cookie's token, which is kept nowhere.
  hash bytea not null unique check (length(hash) = 32),
  operator_id uuid not null references operators on delete cascade,
  workspace_id uuid not null references workspaces,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- When this one last proved with a password or a second factor who it is.
  confirmed_at timestamptz not null default now(),
  -- password, totp, recovery_code, passkey: what was shown at the login.
  proofs text[] not null,
  ip text not null,
  user_agent text not null,
  revoked_at timestamptz
);
create index operator_sessions_by_operator on operator_sessions (operator_id, id);
create index operator_sessions_ended on operator_sessions (expires_at);

alter table api_keys
  add column operator_id uuid references operators on delete cascade,
  -- Networks in CIDR form that the key may come from; empty: from anywhere.
  add column allowed_ips text[] not null default '{}',
  add column used_at timestamptz;
create index api_keys_by_operator on api_keys (operator_id, id) where operator_id is not null;

-- Across workspaces by nature: only the system role sees who may sign in.
grant select, insert, update, delete on operators, operator_passkeys, operator_recovery_codes, operator_sessions to service_system;
grant select on installation to service_system;

-- For one workspace nobody acts on sessions: the tenant role has nothing to do with them.
alter table operator_sessions enable row level security;
alter table operator_sessions force row level security;
create policy system on operator_sessions to service_system using (true) with check (true);

alter table operator_roles enable row level security;
alter table operator_roles force row level security;
create policy tenant on operator_roles to service_tenant using (workspace_id = service_workspace());
create policy system on operator_roles to service_system using (true) with check (true);
grant select on operator_roles to service_tenant;
grant select, insert, update, delete on operator_roles to service_system;
