-- Sessions that server SDKs count themselves and send as sums, by the hour in which they began. Written in the
-- transaction that moves the partition's cursor, so that a sum is added once.
create table release_health_counts (
  project_id bigint not null references projects (dsn_id) on delete cascade,
  hour timestamptz not null,
  release text not null,
  environment text not null,
  exited bigint not null,
  errored bigint not null,
  unhandled bigint not null,
  abnormal bigint not null,
  crashed bigint not null,
  primary key (project_id, release, environment, hour)
);

create index release_health_counts_hour on release_health_counts (project_id, hour);

-- A release that never failed is known by its sessions alone.
alter table releases
  alter first_event_at drop not null,
  alter last_event_at drop not null,
  add first_session_at timestamptz,
  add last_session_at timestamptz,
  add last_heard_at timestamptz generated always as (greatest(last_event_at, last_session_at)) stored;

drop index releases_by_last_event;
create index releases_by_last_heard on releases (project_id, last_heard_at desc, version);
