-- How far the log has been digested. These rows move only together with the counts they stand for.

create table partition_cursors (
  partition int primary key,
  -- Raised by every new owner; a former owner's writes name an older epoch and change nothing.
  epoch bigint not null,
  -- Creation time of the stream as the broker reports it. A stream made anew counts from 1 again, so
  -- its generation goes into every row and insert token.
  incarnation text not null,
  generation int not null,
  committed_seq bigint not null,
  -- The range (committed_seq, planned_seq] was handed to ClickHouse; equal when nothing is pending.
  planned_seq bigint not null check (planned_seq >= committed_seq),
  updated_at timestamptz not null default now()
);

-- Frames digested, by their end-to-end number: all up to `contiguous`, and those in `ahead`.
create table frame_progress (
  partition int not null,
  boot_id uuid not null,
  contiguous bigint not null,
  ahead bigint[] not null default '{}',
  updated_at timestamptz not null default now(),
  primary key (partition, boot_id)
);

-- Worker processes that are alive, so that each takes its fair share of the partitions.
create table workers (
  id uuid primary key,
  seen_at timestamptz not null
);

-- What no code could digest, with its bytes, so that it blocks nothing and is not lost.
create table dead_letters (
  id bigint generated always as identity primary key,
  generation int not null,
  partition int not null,
  stream_seq bigint not null,
  record_index int not null,
  project_id bigint,
  reason text not null,
  detail text not null,
  bytes bytea not null,
  created_at timestamptz not null default now(),
  unique (partition, generation, stream_seq, record_index)
);
