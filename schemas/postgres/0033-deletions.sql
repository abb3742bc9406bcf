-- Deletions of projects, of organizations and of the data of one person. A row is at first the order of a job that may be
-- killed at any time (workers/deletions/run-deletion.ts), and then its receipt. It outlives what it deleted, so it refers
-- to nothing, and a finished row holds no personal data.
create table deletions (
  id uuid primary key,
  kind text not null check (kind in ('project', 'organization', 'person')),
  state text not null default 'removing' check (state in ('removing', 'waiting_for_stream', 'sweeping', 'done')),
  organization_id uuid not null,
  -- The projects that the deletion covers, by UUID and by the number in DSNs; item by item the same ones.
  project_ids uuid[] not null default '{}',
  project_numbers bigint[] not null default '{}',
  -- The person that is erased: {"email", "user_id", "address"}. Null as soon as the deletion is done.
  subject jsonb,
  -- Keyed hash of the subject, by which a receipt is found again.
  subject_hash bytea,
  -- Id of the person who requested it; null for the command line.
  requested_by uuid,
  requested_via text not null check (requested_via in ('login', 'token', 'command_line')),
  requested_at timestamptz not null default now(),
  -- Where the stream of each partition ended when the deletion began: {"<partition>": {"generation", "seq"}}.
  positions jsonb,
  -- The deletion stops waiting for the stream and the write-ahead logs at this time.
  waits_until timestamptz not null,
  -- Finished steps. A step that is missing here is repeated.
  steps text[] not null default '{}',
  -- Rows deleted or changed, by table.
  counts jsonb not null default '{}',
  -- Sentences about what may still exist elsewhere.
  remaining jsonb not null default '[]',
  finished_at timestamptz
);

create index deletions_unfinished on deletions (requested_at) where finished_at is null;
create index deletions_of_organization on deletions (organization_id, id desc);

-- Numbers of deleted projects. Workers drop records of these projects. A number is never given to another project.
create table deleted_projects (
  dsn_id bigint primary key,
  project_id uuid not null unique,
  deletion_id uuid not null references deletions
);

alter table ingest_boots
  -- When the oldest frame was written that the write-ahead log of the instance still holds; null when it holds none.
  add column log_oldest_at timestamptz,
  -- When `log_oldest_at` was reported; null for versions that do not report it.
  add column log_reported_at timestamptz;
