-- Quota, charged per event and exact across all ingest processes. A process leases a block of units, charges
-- from it in memory and gives back what is left; every record on the bus names the lease it was charged to.

alter table projects
  -- Events a month (UTC); null is without limit.
  add column monthly_events bigint check (monthly_events >= 0),
  -- Spike limit: events a minute; null is without limit.
  add column events_per_minute int check (events_per_minute > 0),
  -- Brake: of an issue above this rate only a sample of its events is stored, all are counted; null never samples.
  add column issue_events_per_minute int check (issue_events_per_minute > 0);

alter table dsn_keys add column events_per_minute int check (events_per_minute > 0);

create table quota_usage (
  project_id bigint not null references projects (dsn_id) on delete cascade,
  -- First day of the month.
  period date not null,
  -- Units handed out in leases and not given back: never above the limit, and equal to the events accepted once
  -- all leases are closed and all records digested.
  used bigint not null default 0 check (used >= 0),
  primary key (project_id, period)
);

create table quota_leases (
  lease_no bigint generated always as identity primary key,
  project_id bigint not null references projects (dsn_id) on delete cascade,
  period date not null,
  -- The ingest process, by the boot id its frames carry.
  boot_id uuid not null,
  units int not null check (units > 0),
  -- Records charged to the lease that workers have committed, accepted or not.
  seen int not null default 0,
  -- open: its process charges from it, and its unspent units count as used.
  -- closed: its process has given the rest back; records charged to it may still be on the log.
  -- settled: its process is dead and nothing of it can come any more; a record that does come is charged anew.
  state text not null default 'open' check (state in ('open', 'closed', 'settled')),
  granted_at timestamptz not null default now()
);

create index quota_leases_open on quota_leases (boot_id) where state = 'open';
create index quota_leases_by_time on quota_leases (granted_at) where state <> 'open';

-- Spike and key limits: one row for each minute in which something was granted. Blocks of a minute end with it.
create table quota_minutes (
  scope text not null check (scope in ('project', 'key')),
  -- projects.dsn_id or dsn_keys.key_no.
  scope_id bigint not null,
  minute timestamptz not null,
  used int not null,
  primary key (scope, scope_id, minute)
);

-- Who was told what: one mail for each threshold of a period.
create table quota_warnings (
  project_id bigint not null references projects (dsn_id) on delete cascade,
  period date not null,
  percent int not null,
  at timestamptz not null default now(),
  primary key (project_id, period, percent)
);
