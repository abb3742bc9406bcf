-- Tickets and pages elsewhere that are about an issue (`is:linked`).
create table issue_links (
  id uuid primary key,
  issue_id uuid not null references issues on delete cascade,
  url text not null check (length(url) <= 2000),
  title text check (length(title) <= 200),
  created_at timestamptz not null default now(),
  unique (issue_id, url)
);
