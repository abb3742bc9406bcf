-- Days whose sums of sessions (session_days in ClickHouse) have to be made again, because sessions of them came late or were
-- changed. A commit writes them; the task that makes the sums deletes those that have not been written again meanwhile.
create table stale_session_days (
  project_id bigint not null references projects (dsn_id) on delete cascade,
  day date not null,
  change uuid not null default gen_random_uuid(),
  primary key (project_id, day)
);
create index stale_session_days_by_day on stale_session_days (day);

-- Lists of issues with a rare status read no others. Queries use the second one if they write the expression in the same way
-- (api/search/issue-columns.ts).
create index issues_by_status on issues (project_id, status, last_seen desc, id desc)
  where status <> 'unresolved' and merged_into is null;
create index issues_by_substatus on issues (
    project_id,
    (case when status = 'unresolved' and escalated_at is not null then 'escalating' else substatus end),
    last_seen desc, id desc
  )
  where merged_into is null
    and case when status = 'unresolved' and escalated_at is not null then 'escalating' else substatus end is not null;

-- What entered the triage queue since a time.
create index issue_activity_entered on issue_activity (at, issue_id)
  where kind in ('regressed', 'escalating', 'returned');
