-- From an ingest process's log to the commit: what was delivered, and what may still come.

-- Every ingest process that has ever sent a frame or leased quota, by the boot id in its frames.
create table ingest_boots (
  boot_id uuid primary key,
  started_at timestamptz not null default now(),
  -- Written every few seconds while the process lives.
  seen_at timestamptz not null default now(),
  -- The process is gone and every frame in its log is committed: nothing of it can come any more.
  settled_at timestamptz
);

-- What came before a gap closed, as [from, to) pairs of counters, flattened and ascending. A gap is never given up:
-- its frames stand in the log of the process that sent them and come late.
update frame_progress set ahead = '{}';
create index frame_progress_boot on frame_progress (boot_id);

-- A plan is written after the range was digested and before anything of it is inserted. Beside the range's end it holds
-- what cannot be derived from the frames again, should the broker lose them before the commit.
alter table partition_cursors
  -- Project settings that decide rows (sampling), as the digest used them.
  add column planned_settings jsonb not null default '{}',
  -- The range's outcome rows (RowBinary), so that an insert that may have happened can be repeated and undone.
  add column planned_outcomes bytea not null default '';

-- The connection that holds the worker's partition locks, so that others can end it when the worker stands still.
alter table workers
  add column lock_backend_pid int,
  -- Finishes what it has in hand and takes nothing new: its share is the others'.
  add column leaving boolean not null default false;

alter table issues
  -- Events counted here that the brake did not store as rows of their own.
  add column sampled_count bigint not null default 0;
