-- The ideas portal. Counts live in a narrow table, because ideas carries a GIN-indexed vector that every update would write again.

create extension if not exists pg_trgm;

create table portal_settings (
  project_id uuid primary key references projects on delete cascade,
  -- Normalised: scheme://host[:port], https://*.host, http://localhost:*. Empty: any.
  allowed_origins text[] not null default '{}',
  moderation text not null default 'off' check (moderation in ('off', 'ideas', 'all')),
  enduser_auth boolean not null default false,
  reads_need_token boolean not null default false,
  -- A text search configuration by name; text, so that an upgrade of Postgres is not held up by regconfig.
  search_language text not null default 'simple',
  -- Null: none was saved, and portal_config stays away from replies.
  branding jsonb,
  -- A text with more links waits for a moderator.
  links_max int not null default 5,
  suggestions_per_hour_max int not null default 60,
  -- Per address and minute, where an office shares one; never below the specification's.
  votes_per_minute_max int not null default 5 check (votes_per_minute_max >= 5),
  updated_at timestamptz not null default now()
);

-- At most two live ones of a project, so that one can follow the other.
create table enduser_secrets (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  sealed_secret bytea not null,
  prefix text not null,
  created_at timestamptz not null default now(),
  retired_at timestamptz
);

create index enduser_secrets_of_project on enduser_secrets (project_id) where retired_at is null;

create table endusers (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  enduser_id text not null check (length(enduser_id) between 1 and 255),
  email text,
  -- token: signed, so the mailbox is the user's; typed: anybody may have typed it.
  email_source text check (email_source in ('token', 'typed')),
  name text,
  trusted boolean not null default false,
  blocked_at timestamptz,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  unique (project_id, enduser_id)
);

create table tags (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  slug text not null check (slug ~ '^[a-z0-9-]{1,50}$'),
  name text not null,
  color text not null check (color ~ '^#[0-9a-f]{6}$'),
  position int not null default 0,
  created_at timestamptz not null default now(),
  unique (project_id, slug)
);

create table ideas (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  title text not null,
  description text not null,
  status text not null default 'Open'
    check (status in ('Open', 'Planned', 'Started', 'Completed', 'Declined', 'Duplicate')),
  moderation text not null default 'published' check (moderation in ('published', 'pending', 'rejected')),
  -- Null: written by the team.
  author_id uuid references endusers on delete set null,
  -- Where the author asked for mail about this idea with an address of its own.
  author_email text,
  duplicate_of uuid references ideas,
  status_before_merge text,
  response text,
  response_by text,
  response_at timestamptz,
  -- Filled by the trigger below, by the project's language.
  search tsvector not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((status = 'Duplicate') = (duplicate_of is not null))
);

create index ideas_search on ideas using gin (search);
create index ideas_title_trigrams on ideas using gin (title gin_trgm_ops);
create index ideas_by_time on ideas (project_id, created_at desc, id desc);
create index ideas_of_author on ideas (author_id) where author_id is not null;
create index ideas_duplicates on ideas (duplicate_of) where duplicate_of is not null;
create index ideas_pending on ideas (project_id, created_at) where moderation = 'pending';

create table idea_counts (
  idea_id uuid primary key references ideas on delete cascade,
  project_id uuid not null references projects on delete cascade,
  vote_count int not null default 0 check (vote_count >= 0),
  comment_count int not null default 0 check (comment_count >= 0),
  created_at timestamptz not null
);

create index idea_counts_top on idea_counts (project_id, vote_count desc, created_at desc, idea_id desc);

create table idea_tags (
  idea_id uuid not null references ideas on delete cascade,
  tag_id uuid not null references tags on delete cascade,
  primary key (idea_id, tag_id)
);

create index idea_tags_of_tag on idea_tags (tag_id);

create table votes (
  idea_id uuid not null references ideas on delete cascade,
  enduser_id uuid not null references endusers on delete cascade,
  -- The idea it was cast on, when a merge brought it here.
  via_idea_id uuid references ideas on delete cascade,
  -- An address given with this vote alone.
  email text,
  -- A person of the team who voted for a user, and why.
  cast_by text,
  created_at timestamptz not null default now(),
  primary key (idea_id, enduser_id)
);

create index votes_via on votes (via_idea_id) where via_idea_id is not null;
create index votes_of_enduser on votes (enduser_id);

create table comments (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  idea_id uuid not null references ideas on delete cascade,
  parent_id uuid references comments,
  -- The top-level comment of the thread; itself for that one.
  root_id uuid not null,
  depth int not null,
  body text not null,
  -- Null: the team.
  author_id uuid references endusers on delete set null,
  author_name text,
  author_email text,
  is_team boolean not null default false,
  moderation text not null default 'published' check (moderation in ('published', 'pending', 'rejected')),
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index comments_roots on comments (idea_id, created_at, id) where parent_id is null;
create index comments_of_root on comments (root_id, created_at, id);
create index comments_pending on comments (project_id, created_at) where moderation = 'pending';

-- Append only: what happened to an idea, and by whom.
create table idea_events (
  id uuid primary key,
  idea_id uuid not null references ideas on delete cascade,
  -- created, status, response, merged, unmerged, approved, rejected, edited, tagged.
  kind text not null,
  from_status text,
  to_status text,
  actor text,
  details jsonb not null default '{}',
  at timestamptz not null default now()
);

create index idea_events_of_idea on idea_events (idea_id, at);

-- Written with its cause; a mail worker sends what is due. One per idea, kind and person: the last state wins.
create table portal_notices (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  idea_id uuid not null references ideas on delete cascade,
  -- Lower case, as in addresses.email_key.
  email_key text not null,
  email text not null,
  -- status: status or response; reply: to a comment; approved, rejected: of a suggestion.
  kind text not null check (kind in ('status', 'reply', 'approved', 'rejected')),
  comment_id uuid references comments on delete cascade,
  not_before timestamptz not null,
  sent_at timestamptz,
  -- Why none was sent: opted out, over the day's share, suppressed, no longer true.
  dropped text,
  created_at timestamptz not null default now()
);

create unique index portal_notices_once on portal_notices (idea_id, email_key, kind, coalesce(comment_id, idea_id))
  where sent_at is null and dropped is null;
create index portal_notices_due on portal_notices (not_before) where sent_at is null and dropped is null;
create index portal_notices_of_address on portal_notices (project_id, email_key, sent_at desc) where sent_at is not null;

create table portal_optouts (
  project_id uuid not null references projects on delete cascade,
  email_key text not null,
  -- stop: no more mail; not_me: somebody else typed this address.
  reason text not null check (reason in ('stop', 'not_me')),
  at timestamptz not null default now(),
  primary key (project_id, email_key)
);

create function fill_idea_search() returns trigger language plpgsql as $$
declare
  language text := coalesce((select search_language from portal_settings where project_id = new.project_id), 'simple');
  config regconfig;
begin
  begin
    config := language::regconfig;
  exception when undefined_object then
    config := 'simple';
  end;
  new.search := setweight(to_tsvector(config, new.title), 'A') || setweight(to_tsvector(config, new.description), 'B');
  return new;
end
$$;

create trigger idea_search before insert or update of title, description on ideas
  for each row execute function fill_idea_search();
