-- Merging and splitting move hashes between issues, so what an issue counts is kept for each of its hashes too.

-- The events whose first hash this is. All of a project's rows with that fingerprint were counted here and nowhere else,
-- and an issue's count, times and releases are those of its hashes together.
create table hash_sums (
  project_id bigint not null,
  hash uuid not null,
  count bigint not null,
  sampled_count bigint not null,
  first_seen timestamptz not null,
  last_seen timestamptz not null,
  first_release text,
  last_release text,
  -- Of the latest event.
  title text not null,
  culprit text not null,
  level text not null,
  platform text not null,
  primary key (project_id, hash),
  foreign key (project_id, hash) references issue_hashes on delete cascade
) with (fillfactor = 80);

-- What was counted before there were such rows belongs to the hash that the issue began with.
insert into hash_sums (project_id, hash, count, sampled_count, first_seen, last_seen, first_release, last_release,
    title, culprit, level, platform)
  select distinct on (i.id) i.project_id, h.hash, i.count, i.sampled_count, i.first_seen, i.last_seen,
    i.first_release, i.last_release, i.title, i.culprit, i.level, i.platform
  from issues i join issue_hashes h on h.issue_id = i.id
  order by i.id, h.explanation->'variants'->0->>'hash' = replace(h.hash::text, '-', '') desc nulls last,
    h.created_at, h.hash;

alter table issues
  -- The issue that has this one's hashes now. It counts nothing meanwhile, and keeps its state for the day it gets them back.
  add column merged_into uuid references issues on delete cascade;

create index issues_merged_into on issues (merged_into) where merged_into is not null;

alter table issue_hashes
  -- The issues it was merged away from, the last one last: that is where it goes back to.
  add column came_from uuid[] not null default '{}',
  -- The issue it was split off last, so that a repeated request is told from a mistaken one.
  add column split_from uuid;

-- Issues deleted by request, and the events that went with them: the books go on without them.
create table issue_deletions (
  id bigint generated always as identity primary key,
  project_id bigint not null references projects (dsn_id) on delete cascade,
  issue_id uuid not null unique,
  short_no int not null,
  actor jsonb not null,
  event_count bigint not null,
  sampled_count bigint not null,
  hashes uuid[] not null,
  -- How far each partition was committed when the issue was deleted: rows up to there were its own, and later ones with
  -- the same hashes belong to the issue that was made after it. Index by index.
  partitions int[] not null,
  generations int[] not null,
  committed_seqs bigint[] not null,
  requested_at timestamptz not null default now(),
  -- The rows are gone from ClickHouse.
  finished_at timestamptz
);

create index issue_deletions_project on issue_deletions (project_id);
create index issue_deletions_unfinished on issue_deletions (id) where finished_at is null;
