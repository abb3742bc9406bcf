-- Logins of people, invitations, and the log of what they changed.

alter table people add column password_changed_at timestamptz;

-- A cookie's value stands here only as its SHA-256.
create table logins (
  id uuid primary key,
  person_id uuid not null references people on delete cascade,
  -- Of the organizations that the person belongs to, the one that this login works for.
  organization_id uuid not null references organizations on delete cascade,
  token_hash bytea not null unique,
  csrf_token text not null,
  user_agent text,
  ip text,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create index logins_of_person on logins (person_id);

-- The one-time link of an invitation or of a forgotten password.
create table person_links (
  token_hash bytea primary key,
  person_id uuid not null references people on delete cascade,
  kind text not null check (kind in ('invite', 'reset')),
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null default now()
);

-- Append only.
create table audit_log (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  -- Null: the command line, or a person who is gone.
  person_id uuid references people on delete set null,
  -- As it was then, for when the person is gone; `admin` for the command line.
  actor text not null,
  via text not null check (via in ('login', 'token', 'command_line')),
  -- noun.verb, as in `newsletter.created`.
  action text not null,
  subject_type text not null,
  subject_id text,
  details jsonb not null default '{}',
  ip text,
  at timestamptz not null default now()
);

create index audit_log_by_time on audit_log (organization_id, at desc, id desc);

alter table api_keys add column expires_at timestamptz;
alter table access_tokens add column expires_at timestamptz;
