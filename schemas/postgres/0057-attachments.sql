-- Files that SDKs send with events: screenshots, logs, view hierarchies, minidumps. Their bytes lie in the object store under
-- day, project and SHA-256 (platform/objects/attachment-key.ts); several rows may name one object.
create table event_attachments (
  project_id bigint not null references projects (dsn_id) on delete cascade,
  -- The event may not exist: it can come later, be filtered, or be a feedback.
  event_id uuid not null,
  -- The id of the record, so that what is sent again is the same row.
  id uuid not null,
  name text not null,
  -- `event.attachment`, `event.minidump`, … as the protocol names them.
  type text not null,
  content_type text,
  size bigint not null check (size >= 0),
  sha256 bytea not null check (length(sha256) = 32),
  stored_on date not null,
  received_at timestamptz not null,
  -- With the event.
  expires_at timestamptz not null,
  primary key (project_id, event_id, id)
);
create index event_attachments_of_object on event_attachments (stored_on, project_id, sha256);
create index event_attachments_to_expire on event_attachments (expires_at);

-- Objects whose rows were deleted. A job removes those that no row names any more. Without a reference to the project, which
-- may be gone.
create table attachment_removals (
  stored_on date not null,
  project_id bigint not null,
  sha256 bytea not null,
  primary key (stored_on, project_id, sha256)
);

-- However rows go (retention, issue, project), their objects follow.
create function note_removed_attachments() returns trigger language plpgsql as $$
begin
  insert into attachment_removals (stored_on, project_id, sha256)
    select distinct stored_on, project_id, sha256 from gone
    order by stored_on, project_id, sha256
    on conflict do nothing;
  return null;
end
$$;

create trigger note_removed_attachments after delete on event_attachments
  referencing old table as gone for each statement execute function note_removed_attachments();

-- Days whose objects without rows were removed: those of requests that were killed before their record was written.
create table attachment_sweeps (
  day date primary key,
  -- The ends of the partitions when the day was first looked at: its records lie before them.
  positions jsonb not null,
  noted_at timestamptz not null,
  swept_at timestamptz
);

-- Bytes that ingest processes took from the limit of a project and day, in blocks.
create table attachment_usage (
  project_id bigint not null references projects (dsn_id) on delete cascade,
  day date not null,
  leased_bytes bigint not null check (leased_bytes >= 0),
  primary key (project_id, day)
);
create index attachment_usage_by_day on attachment_usage (day);

-- Takes between `needed` and `wanted` bytes from the day; 0 when `needed` bytes do not remain.
create function lease_attachment_bytes(
  for_project bigint, on_day date, bytes_max bigint, needed bigint, wanted bigint
) returns bigint language plpgsql as $$
declare
  remaining bigint;
  granted bigint;
begin
  insert into attachment_usage (project_id, day, leased_bytes)
    select dsn_id, on_day, 0 from projects where dsn_id = for_project
    on conflict do nothing;
  select bytes_max - leased_bytes into remaining
    from attachment_usage where project_id = for_project and day = on_day for update;
  if remaining is null or remaining < needed then
    return 0;
  end if;
  granted := least(remaining, greatest(needed, wanted));
  update attachment_usage set leased_bytes = leased_bytes + granted
    where project_id = for_project and day = on_day;
  return granted;
end
$$;

-- Ingest learns at once that a project keeps attachments, or no longer does.
create trigger notify_keys_of_attachments after update of settings on projects
  for each row when (old.settings -> 'attachments' is distinct from new.settings -> 'attachments')
  execute function notify_keys_of_project();
