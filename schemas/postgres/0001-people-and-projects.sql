-- Organizations, the people in them, their projects, and every kind of credential.

create table organizations (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null default now()
);

create table people (
  id uuid primary key,
  email text not null unique check (email = lower(email)),
  name text,
  password_hash text,
  created_at timestamptz not null default now()
);

create table memberships (
  organization_id uuid not null references organizations on delete cascade,
  person_id uuid not null references people on delete cascade,
  role text not null check (role in ('owner', 'member', 'viewer')),
  created_at timestamptz not null default now(),
  primary key (organization_id, person_id)
);

create table projects (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  -- The number in a DSN. Stock SDKs take decimal digits only, so the UUID cannot stand there.
  dsn_id bigint generated always as identity unique,
  name text not null,
  -- Upper case, begins the short id of an issue: SHOP-12.
  short_name text not null,
  -- Stands in the path of the public portal.
  project_key uuid not null unique,
  created_at timestamptz not null default now(),
  unique (organization_id, short_name)
);

create table dsn_keys (
  id uuid primary key,
  -- A record on the bus names its key in four bytes.
  key_no int generated always as identity unique,
  project_id uuid not null references projects on delete cascade,
  public_key text not null unique check (public_key ~ '^[0-9a-f]{32}$'),
  -- Names a component of the product (worker, cli); null on the default key.
  label text,
  status text not null default 'active' check (status in ('active', 'disabled')),
  last_used_at timestamptz,
  created_at timestamptz not null default now()
);

create index dsn_keys_project on dsn_keys (project_id);

-- Ingest caches keys and forgets one as soon as it hears its name here.
create function notify_dsn_key() returns trigger language plpgsql as $$
begin
  perform pg_notify('dsn_keys', coalesce(new.public_key, old.public_key));
  return null;
end
$$;

create trigger dsn_key_changed after insert or update of status, label or delete on dsn_keys
  for each row execute function notify_dsn_key();

-- `oat_…`: scripts. The value is shown once; only its SHA-256 is kept.
create table access_tokens (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  label text not null,
  prefix text not null,
  token_hash bytea not null unique,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);

-- `emk_…`: the email API.
create table api_keys (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  label text not null,
  prefix text not null,
  key_hash bytea not null unique,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);

create table newsletters (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  slug text not null unique,
  name text not null,
  from_address text not null,
  confirm_signups boolean not null default false,
  created_at timestamptz not null default now()
);
