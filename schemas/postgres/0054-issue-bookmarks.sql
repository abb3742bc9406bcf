-- Issues that a person wants to find again (`bookmarks:me`).
create table issue_bookmarks (
  issue_id uuid not null references issues on delete cascade,
  person_id uuid not null references people on delete cascade,
  created_at timestamptz not null default now(),
  primary key (issue_id, person_id)
);
create index issue_bookmarks_of_person on issue_bookmarks (person_id);
