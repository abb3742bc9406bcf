-- When a release was made available, and a page about it, as the client that deploys it says.
alter table releases
  add column url text,
  add column released_at timestamptz;

-- What is known about the commits in `releases.commits`. A release whose commits were sent as hashes only has no rows.
create table release_commits (
  project_id bigint not null,
  version text not null,
  commit_id text not null,
  -- In the order of the client, newest first.
  position integer not null,
  message text not null,
  author_name text not null,
  author_email text not null,
  repository text not null,
  committed_at timestamptz,
  -- Files that the commit changed, relative to the root of its repository.
  paths text[] not null,
  primary key (project_id, version, commit_id),
  foreign key (project_id, version) references releases (project_id, version) on delete cascade
);

-- When a release was put into an environment.
create table release_deploys (
  id uuid primary key,
  project_id bigint not null,
  version text not null,
  environment text not null,
  name text not null,
  url text,
  started_at timestamptz,
  finished_at timestamptz not null,
  foreign key (project_id, version) references releases (project_id, version) on delete cascade
);

create index release_deploys_of_release on release_deploys (project_id, version, finished_at desc, id desc);
