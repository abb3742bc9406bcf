-- Monitors of recurring jobs, written only in the transaction that moves the cursor of the partition their check-ins
-- come in, or in a tick of that partition's owner.

create table monitors (
  id uuid primary key,
  project_id bigint not null references projects (dsn_id) on delete cascade,
  -- Cleaned: what check-ins find it by.
  slug text not null,
  -- A hash of project and slug; modulo the number of partitions it is the partition whose reader keeps the clock.
  partition_hash bigint not null,
  -- {"type": "crontab", "value"} or {"type": "interval", "value", "unit"}; null: never told, so no run is missed.
  schedule jsonb,
  timezone text not null default 'UTC',
  -- Minutes.
  checkin_margin int not null default 1,
  max_runtime int not null default 30,
  failure_issue_threshold int not null default 1,
  recovery_threshold int not null default 1,
  -- Runs are followed, and no events are made of them.
  muted boolean not null default false,
  -- The last check-in that was not taken as it was: {"at", "reason", "environment", "detail"}.
  problem jsonb,
  created_at timestamptz not null default now(),
  unique (project_id, slug)
);

create table monitor_environments (
  monitor_id uuid not null references monitors on delete cascade,
  environment text not null,
  partition_hash bigint not null,
  -- The next moment at which time alone changes something: a run is late, or too long. Null: nothing will.
  due_at timestamptz,
  last_check_in_at timestamptz,
  last_ok_at timestamptz,
  expected_at timestamptz,
  -- Schedule and zone that `expected_at` was computed with.
  rhythm text not null default '',
  failures_in_row int not null default 0,
  successes_in_row int not null default 0,
  -- What opened the incident (missed, overrunning, error) and names its issue; null: all is well.
  incident_kind text check (incident_kind in ('missed', 'overrunning', 'error')),
  incident_opened_at timestamptz,
  incident_event_at timestamptz,
  -- Check-ins of one minute.
  minute_at timestamptz not null default 'epoch',
  minute_count int not null default 0,
  primary key (monitor_id, environment)
);

create index monitor_environments_due on monitor_environments (due_at) where due_at is not null;

create table monitor_runs (
  project_id bigint not null references projects (dsn_id) on delete cascade,
  -- The client's check_in_id; of a missed run a hash of what was expected.
  id uuid not null,
  monitor_id uuid not null references monitors on delete cascade,
  environment text not null,
  status text not null check (status in ('running', 'closed', 'missed', 'overrunning')),
  result text check (result in ('ok', 'error')),
  expected_at timestamptz,
  started_at timestamptz,
  closed_at timestamptz,
  duration_ms bigint,
  -- Of a running one: when it is overrunning.
  timeout_at timestamptz,
  release text,
  trace_id uuid,
  span_id text,
  -- The event that was made of it.
  event_id uuid,
  -- When it began or should have.
  at timestamptz not null,
  primary key (project_id, id)
);

create index monitor_runs_by_time on monitor_runs (monitor_id, at desc, id desc);
create index monitor_runs_running on monitor_runs (monitor_id, environment) where status = 'running';
create index monitor_runs_at on monitor_runs (at);

-- Events that the product makes itself, on their way to the bus and back. What is here was decided in a commit, and leaves
-- with the commit that has digested it: until then it is sent again, should the bus have forgotten it.
create table outbox_events (
  event_id uuid primary key,
  project_id bigint not null references projects (dsn_id) on delete cascade,
  received_at timestamptz not null,
  payload text not null,
  -- Who made it, as the client of its record.
  client text not null,
  created_at timestamptz not null default now(),
  sent_at timestamptz
);

create index outbox_events_by_age on outbox_events (created_at, event_id);

-- Issues that are to be resolved because their monitor recovered, once the last event of the incident is counted.
create table issue_resolutions (
  project_id bigint not null references projects (dsn_id) on delete cascade,
  hash uuid not null,
  resolved_at timestamptz not null,
  -- The issue has been seen at this time or later as soon as the last event is counted.
  last_event_at timestamptz not null,
  reason jsonb not null,
  created_at timestamptz not null default now(),
  primary key (project_id, hash)
);
