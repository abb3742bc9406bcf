-- Issues and what decides them. The project is named by its DSN number throughout, as on the bus.

create table issues (
  id uuid primary key,
  project_id bigint not null references projects (dsn_id) on delete cascade,
  -- Counts up within the project; with its short name this is the issue's short id.
  short_no int not null,
  title text not null,
  culprit text not null,
  level text not null,
  platform text not null,
  status text not null default 'unresolved'
    check (status in ('unresolved', 'resolved', 'ignored')),
  substatus text check (substatus in ('new', 'ongoing', 'regressed')),
  assignee uuid references people on delete set null,
  -- Exact: written only in the transaction that moves the partition's cursor.
  count bigint not null,
  first_seen timestamptz not null,
  last_seen timestamptz not null,
  first_release text,
  last_release text,
  resolved_at timestamptz,
  created_at timestamptz not null default now(),
  unique (project_id, short_no)
);

create index issues_by_last_seen on issues (project_id, last_seen desc, id desc);
create index issues_by_first_seen on issues (project_id, first_seen desc, id desc);
create index issues_by_count on issues (project_id, count desc, id desc);

create table issue_numbers (
  project_id bigint primary key references projects (dsn_id) on delete cascade,
  last_no int not null
);

-- Which issue owns a grouping hash. Merging repoints rows here and nothing else.
create table issue_hashes (
  project_id bigint not null references projects (dsn_id) on delete cascade,
  hash uuid not null,
  issue_id uuid not null references issues on delete cascade deferrable initially deferred,
  -- As the grouping algorithm wrote it when the hash was first seen: why these events are one issue.
  explanation jsonb not null,
  created_at timestamptz not null default now(),
  primary key (project_id, hash)
);

create index issue_hashes_issue on issue_hashes (issue_id);

create table issue_activity (
  id bigint generated always as identity primary key,
  issue_id uuid not null references issues on delete cascade,
  kind text not null,
  -- Who: {"type": "token", "id", "label"}, {"type": "system"}.
  actor jsonb not null,
  data jsonb not null default '{}',
  at timestamptz not null default now()
);

create index issue_activity_issue on issue_activity (issue_id, at);

create table releases (
  project_id bigint not null references projects (dsn_id) on delete cascade,
  version text not null,
  first_event_at timestamptz not null,
  last_event_at timestamptz not null,
  event_count bigint not null,
  new_issue_count bigint not null default 0,
  created_at timestamptz not null default now(),
  primary key (project_id, version)
);

create index releases_by_last_event on releases (project_id, last_event_at desc, version);
