-- Backups: what was done, and the hold under which they take one point in time of both databases.

-- While a row is here whose time has not passed, workers plan no new range. The time is short and prolonged by the process that
-- needs it, so the hold of a process that was killed passes by itself.
create table backup_holds (
  id text primary key,
  until timestamptz not null
);

create table backups (
  id text primary key,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  -- The time that the backup shows.
  point_at timestamptz,
  -- A folder or a bucket with its prefix, without credentials.
  place text not null,
  -- Compressed bytes that this backup added to the place.
  bytes bigint not null default 0 check (bytes >= 0),
  state text not null default 'running' check (state in ('running', 'complete', 'failed')),
  error text
);

create index backups_complete on backups (finished_at) where state = 'complete';
