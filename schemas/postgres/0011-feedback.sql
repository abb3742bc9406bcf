-- What people said, by an SDK's form or call (items `feedback` and `user_report`) or by other ways. An organization reads it.
create table feedback (
  project_id bigint not null references projects (dsn_id) on delete cascade,
  -- Of a feedback item its own event id, of a report the id of its record: what is sent again is the same row.
  id uuid not null,
  message text not null,
  type text not null check (type in ('Bug', 'Feature', 'Improvement', 'Question', 'Praise', 'Other')),
  status text not null default 'New'
    check (status in ('New', 'Active', 'Assigned', 'Hold', 'Resolved', 'Closed')),
  source text not null check (source in ('Widget', 'Api', 'Import', 'Dashboard')),
  -- Of the page, without its query.
  path text,
  -- The release.
  version text,
  environment text,
  component text,
  person_name text,
  person_email text,
  -- The event it is about, and that event's first grouping hash, by which issue_hashes tells the issue.
  event_id uuid,
  event_hash uuid,
  -- When the event is looked for next; null: found, given up, or none was named. A report may come before its event.
  look_at timestamptz,
  archived boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (project_id, id)
);

create index feedback_by_time on feedback (project_id, created_at desc, id desc);
create index feedback_of_event on feedback (project_id, event_id) where event_id is not null;
create index feedback_to_link on feedback (look_at) where look_at is not null;
