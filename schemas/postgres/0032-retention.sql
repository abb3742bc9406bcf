-- Everything expires by a policy (schemas/retention/).

-- Where the housekeeping jobs that walk a whole table go on: one row for each of them. A lost row only
-- means that a table is walked from its beginning again.
create table sweep_positions (
  name text primary key,
  -- The primary key of the last row that was looked at, as text; null begins at the first row.
  position text[],
  updated_at timestamptz not null default now()
);

-- Clicks of a link whose rows in tracking_hits have expired.
alter table campaign_links
  add column expired_clicks bigint not null default 0,
  add column expired_clicks_machine bigint not null default 0;

-- Hits from which the person was removed. Their number grows until they expire; the others have an index already.
create index tracking_hits_without_reader on tracking_hits (at) where contact_id is null;
