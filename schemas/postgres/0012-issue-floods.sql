-- How many issues of one kind (an error's type, or how its message begins) a project got in an hour, by the time of receipt.
-- Above a limit the rest of the hour's events of the kind are grouped coarsely. Rows are of use for a day.
create table new_issue_counts (
  project_id bigint not null references projects (dsn_id) on delete cascade,
  hour timestamptz not null,
  kind text not null,
  count int not null,
  primary key (project_id, hour, kind)
);
