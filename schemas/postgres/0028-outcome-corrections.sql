-- Changes of outcomes that a commit decides after the outcome rows of its range are in ClickHouse. A worker assigns them to a batch,
-- inserts the batch into ClickHouse under the batch's id as deduplication token, and deletes it.
create table outcome_corrections (
  id bigint generated always as identity primary key,
  -- Null: in no batch yet. A batch never changes once it is assigned.
  batch uuid,
  project_id bigint not null references projects (dsn_id) on delete cascade,
  dsn_key_no bigint not null,
  component text not null,
  hour timestamptz not null,
  outcome text not null,
  reason text not null,
  category text not null,
  -- Negative where an outcome is taken back.
  quantity bigint not null
);

create index outcome_corrections_batch on outcome_corrections (batch, id);
create index outcome_corrections_project on outcome_corrections (project_id);
