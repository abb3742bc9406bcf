-- The ideas portal. Counts live in a narrow table, because ideas carries a GIN-indexed vector that every update would write again.

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

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
  -- Published ideas that have it; the triggers below keep it.
  idea_count int not null default 0,
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
  -- Both filled by a trigger below: words and, of the project's language, their stems; the title for likeness.
  search tsvector not null default '',
  title_sounds text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((status = 'Duplicate') = (duplicate_of is not null)),
  check (duplicate_of <> id)
);

-- The project leads it, so that a small portal is not slow because a large one uses the same words.
create index ideas_search on ideas using gin (project_id, search);
create index ideas_title_sounds on ideas using gin (project_id, title_sounds gin_trgm_ops);
create index ideas_by_time on ideas (project_id, created_at desc, id desc) where moderation = 'published';
create index ideas_by_status on ideas (project_id, status, created_at desc, id desc);
create index ideas_by_moderation on ideas (project_id, moderation, created_at desc, id desc);
create index ideas_of_author on ideas (author_id) where author_id is not null;
create index ideas_duplicates on ideas (duplicate_of) where duplicate_of is not null;

-- Made with its idea and kept by triggers, but for the two counts.
create table idea_counts (
  idea_id uuid primary key references ideas on delete cascade,
  project_id uuid not null references projects on delete cascade,
  vote_count int not null default 0 check (vote_count >= 0),
  comment_count int not null default 0 check (comment_count >= 0),
  published boolean not null,
  created_at timestamptz not null
);

create index idea_counts_top on idea_counts (project_id, vote_count desc, created_at desc, idea_id desc)
  where published;

-- How many published ideas a project has of each status: what a list without a search replies as its total.
create table portal_totals (
  project_id uuid not null references projects on delete cascade,
  status text not null,
  idea_count int not null check (idea_count >= 0),
  primary key (project_id, status)
);

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
  via_idea_id uuid references ideas on delete set null,
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

-- Words as they are compared: small letters without accents, and nothing between them but one space. The collation is named
-- because a database may have one that knows of no letters but ASCII's.
create function fold_words(words text) returns text language sql immutable parallel safe strict as $$
  select trim(regexp_replace(
    lower(normalize(regexp_replace(normalize(words, nfkd), '[\u0300-\u036f]', '', 'g'), nfc) collate pg_c_utf8),
    '[^[:alnum:]]+', ' ', 'g'
  ))
$$;

-- Folded words in ASCII, two letters for each character of another script: trigrams are made of letters, and which characters
-- are letters is up to the database's locale.
create function sounds_of(words text) returns text language plpgsql immutable parallel safe strict as $$
declare
  folded text := fold_words(words);
begin
  if octet_length(folded) = length(folded) then
    return folded;
  end if;
  return (
    select string_agg(
      case when ascii(c) < 128 then c
        else chr(97 + ascii(c) % 26) || chr(97 + ascii(c) / 26 % 26) end, '' order by at
    ) from regexp_split_to_table(folded, '') with ordinality as letters (c, at)
  );
end
$$;

-- A language that this database does not have counts as none.
create function search_config(language text) returns regconfig language plpgsql stable as $$
begin
  return language::regconfig;
exception when others then
  return 'simple'::regconfig;
end
$$;

create function idea_vector(title text, description text, language text) returns tsvector
language plpgsql stable as $$
declare
  config regconfig := search_config(language);
  words tsvector := setweight(to_tsvector('simple', fold_words(title)), 'A')
    || setweight(to_tsvector('simple', fold_words(description)), 'B');
begin
  if config = 'simple'::regconfig then
    return words;
  end if;
  return words || setweight(to_tsvector(config, title), 'A') || setweight(to_tsvector(config, description), 'B');
end
$$;

-- Each of the first ten words, itself or its stem; the last one also as the beginning of a word. `joiner` is & or |. Null where
-- the text has no words. Folded words hold letters and digits alone, so none of them can end its quotes.
create function idea_query(words text, language text, joiner text) returns tsquery language plpgsql stable as $$
declare
  config regconfig := search_config(language);
  stemmed constant boolean := config <> 'simple'::regconfig;
  folded text[] := (string_to_array(nullif(fold_words(words), ''), ' '))[:10];
begin
  return (
    select string_agg(
      '(''' || word || '''' || case when at = cardinality(folded) then ':*' else '' end || coalesce(
        (select string_agg(' | ' || quote_literal(stem), '')
           from unnest(tsvector_to_array(to_tsvector(config, word))) stem
           where stemmed and stem ~ '^[[:alnum:]]+$' collate pg_c_utf8), ''
      ) || ')', joiner order by at
    )::tsquery from unnest(folded) with ordinality as words (word, at)
  );
end
$$;

-- How many published ideas of the project have the words, counted up to a bound. The planner guesses badly how often the beginning
-- of a word is there, so the index of words is the only way it is given.
create function count_ideas_with(project uuid, words tsquery, at_most int) returns int language sql stable
  set enable_seqscan = off set enable_indexscan = off as $$
  select count(*)::int from (
    select from ideas where project_id = project and moderation = 'published' and search @@ words limit at_most
  ) found
$$;

create function fill_idea_search() returns trigger language plpgsql as $$
begin
  new.title_sounds := sounds_of(new.title);
  new.search := idea_vector(
    new.title, new.description,
    coalesce((select search_language from portal_settings where project_id = new.project_id), 'simple')
  );
  return new;
end
$$;

create trigger idea_search before insert or update of title, description on ideas
  for each row execute function fill_idea_search();

-- Adds to totals and to the counts of tags. Only rows that change are locked, and in order, so that two transactions do not wait
-- for each other.
create function add_to_totals(projects uuid[], statuses text[], deltas int[]) returns void language plpgsql as $$
declare
  p uuid[];
  s text[];
  d int[];
begin
  select array_agg(project order by project, status), array_agg(status order by project, status),
      array_agg(delta order by project, status)
    into p, s, d
    from (
      select project, status, sum(delta) as delta from unnest(projects, statuses, deltas) as d (project, status, delta)
      group by project, status having sum(delta) <> 0
    ) changed;
  if p is null then
    return;
  end if;
  insert into portal_totals (project_id, status, idea_count)
    select project, status, 0 from unnest(p, s) as n (project, status) order by project, status
    on conflict do nothing;
  perform from portal_totals t where (t.project_id, t.status) in (select * from unnest(p, s))
    order by t.project_id, t.status for update;
  update portal_totals t set idea_count = t.idea_count + n.delta
    from unnest(p, s, d) as n (project, status, delta)
    where t.project_id = n.project and t.status = n.status;
end
$$;

create function add_to_tags(tag_ids uuid[], deltas int[]) returns void language sql as $$
  select from tags where id = any(tag_ids) order by id for no key update;
  update tags set idea_count = idea_count + d.delta
    from (select id, sum(delta) delta from unnest(tag_ids, deltas) as d (id, delta) group by id) d
    where tags.id = d.id and d.delta <> 0;
$$;

create function count_new_ideas() returns trigger language plpgsql as $$
begin
  insert into idea_counts (idea_id, project_id, published, created_at)
    select id, project_id, moderation = 'published', created_at from new_ideas;
  perform add_to_totals(array_agg(project_id), array_agg(status), array_agg(1))
    from new_ideas where moderation = 'published' having count(*) > 0;
  return null;
end
$$;

create function count_changed_ideas() returns trigger language plpgsql as $$
begin
  perform add_to_totals(array_agg(project_id), array_agg(status), array_agg(delta)) from (
    select project_id, status, 1 as delta from new_ideas where moderation = 'published'
    union all
    select project_id, status, -1 from old_ideas where moderation = 'published'
  ) moves having count(*) > 0;
  update idea_counts c set published = n.moderation = 'published'
    from new_ideas n where n.id = c.idea_id and c.published <> (n.moderation = 'published');
  perform add_to_tags(array_agg(t.tag_id), array_agg(case when n.moderation = 'published' then 1 else -1 end))
    from new_ideas n join old_ideas o on o.id = n.id join idea_tags t on t.idea_id = n.id
    where (n.moderation = 'published') <> (o.moderation = 'published') having count(*) > 0;
  return null;
end
$$;

-- Tags of an idea go before it does, while it can still be seen whether it was published; its row in idea_counts with it. Totals
-- are locked before tags, as everywhere.
create function count_gone_idea() returns trigger language plpgsql as $$
begin
  if old.moderation = 'published' then
    -- A project that is deleted whole has lost its totals before its ideas.
    update portal_totals set idea_count = idea_count - 1 where project_id = old.project_id and status = old.status;
  end if;
  delete from idea_tags where idea_id = old.id;
  return old;
end
$$;

create trigger ideas_added after insert on ideas referencing new table as new_ideas
  for each statement execute function count_new_ideas();
create trigger ideas_changed after update on ideas referencing new table as new_ideas old table as old_ideas
  for each statement execute function count_changed_ideas();
create trigger idea_goes before delete on ideas for each row execute function count_gone_idea();

create function count_tagged() returns trigger language plpgsql as $$
begin
  perform add_to_tags(array_agg(t.tag_id), array_agg(1))
    from new_tags t join ideas on ideas.id = t.idea_id where ideas.moderation = 'published' having count(*) > 0;
  return null;
end
$$;

create function count_untagged() returns trigger language plpgsql as $$
begin
  perform add_to_tags(array_agg(t.tag_id), array_agg(-1))
    from old_tags t join ideas on ideas.id = t.idea_id where ideas.moderation = 'published' having count(*) > 0;
  return null;
end
$$;

create trigger ideas_tagged after insert on idea_tags referencing new table as new_tags
  for each statement execute function count_tagged();
create trigger ideas_untagged after delete on idea_tags referencing old table as old_tags
  for each statement execute function count_untagged();

-- Another language means other stems of every idea: a job of the workers makes them anew, some at a time.
create function reindex_ideas_later() returns trigger language plpgsql as $$
begin
  if exists (
    select from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname = 'graphile_worker' and p.proname = 'add_job'
  ) then
    perform graphile_worker.add_job(
      'reindex_ideas', json_build_object('project_id', new.project_id),
      job_key := 'reindex_ideas:' || new.project_id
    );
  end if;
  return null;
end
$$;

create trigger portal_language after update of search_language on portal_settings for each row
  when (old.search_language is distinct from new.search_language) execute function reindex_ideas_later();
create trigger portal_first_language after insert on portal_settings for each row
  when (new.search_language <> 'simple') execute function reindex_ideas_later();
