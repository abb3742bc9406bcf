-- The installation that this database belongs to. The id stands in the headers of write-ahead logs, in the streams' metadata, in the
-- ClickHouse database and in frames, so that a process that meets another installation's data leaves it alone.

create table installation (
  -- One row.
  is_this boolean primary key default true check (is_this),
  id uuid not null default gen_random_uuid(),
  created_at timestamptz not null default now(),
  -- A keyed hash of SLUICE_SECRET, stored by the first process that uses the secret. It reveals nothing of it.
  secret_fingerprint bytea,
  -- The layout of the streams as the last process found it.
  partitions int check (partitions > 0),
  streams int check (streams > 0)
);

insert into installation default values;
