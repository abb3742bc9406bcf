-- What an issue waits for while it is resolved or ignored, who it belongs to, why it is in the triage
-- queue, and how many events of it are expected.

create table teams (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  -- Lower case, as ownership rules name it: `#backend`.
  slug text not null check (slug ~ '^[a-z0-9][a-z0-9-]{0,49}$'),
  name text not null,
  created_at timestamptz not null default now(),
  unique (organization_id, slug)
);

create table team_members (
  team_id uuid not null references teams on delete cascade,
  person_id uuid not null references people on delete cascade,
  created_at timestamptz not null default now(),
  primary key (team_id, person_id)
);

create index team_members_person on team_members (person_id);

alter table issues
  -- At most one of assignee and assignee_team.
  add column assignee_team uuid references teams on delete set null,
  -- Null: by its level (fatal and error high, warning medium, others low).
  add column priority text check (priority in ('high', 'medium', 'low')),
  -- How it was resolved; null while it is not resolved, and in rows of earlier versions ('now').
  add column resolved_in text check (resolved_in in ('now', 'next_release', 'release', 'commit')),
  -- release: the release that has the repair. next_release: the newest release at that time, which
  -- does not have it.
  add column resolved_release text,
  -- The hash of the commit that has the repair.
  add column resolved_commit text,
  -- Conditions that end ignoring, the first that holds; all null or false: never.
  add column ignored_until timestamptz,
  add column ignored_until_count bigint,
  add column ignored_until_users bigint,
  add column ignored_until_escalating boolean not null default false,
  -- Rows of issue_ignored_users.
  add column ignored_users bigint not null default 0,
  -- In the queue since, and why; null: not in the queue.
  add column triage_at timestamptz,
  add column triage_reason text check (triage_reason in ('new', 'regressed', 'escalating', 'returned')),
  -- Hidden from the queue until then.
  add column snoozed_until timestamptz,
  -- When it left the queue last, by a decision, a merge or a recovery.
  add column triage_left_at timestamptz,
  -- Set: its substatus is shown as escalating. The reason has both numbers:
  -- {"hour", "count", "expected", "limit"}.
  add column escalated_at timestamptz,
  add column escalation jsonb,
  -- Set with escalated_at and left by people: an issue escalates once in a day at most, so that it
  -- does not come back right after somebody has looked at it.
  add column last_escalated_at timestamptz,
  -- Events received in the hour that begins at hour_at: what is compared with the forecast.
  add column hour_at timestamptz,
  add column hour_count bigint not null default 0;

create index issues_in_triage on issues (project_id, triage_at, id) where triage_at is not null;
create index issues_ignored_until on issues (ignored_until) where ignored_until is not null;
create index issues_ignored_until_users on issues (project_id) where ignored_until_users is not null;
create index issues_by_triage_left on issues (project_id, triage_left_at) where triage_left_at is not null;
create index issues_of_person on issues (assignee) where assignee is not null;
create index issues_of_team on issues (assignee_team) where assignee_team is not null;

-- Issues that nobody has decided on yet.
update issues set triage_at = created_at, triage_reason = case substatus when 'regressed' then 'regressed' else 'new' end
 where status = 'unresolved' and substatus in ('new', 'regressed') and assignee is null and merged_into is null;

-- Users with events of an issue since it is ignored until so many have one. The hash differs between
-- projects.
create table issue_ignored_users (
  issue_id uuid not null references issues on delete cascade,
  user_hash bigint not null,
  primary key (issue_id, user_hash)
);

-- Whoever changes the condition or the status begins a new count.
create function forget_ignored_users() returns trigger language plpgsql as $$
begin
  delete from issue_ignored_users where issue_id = new.id;
  new.ignored_users := 0;
  return new;
end $$;

create trigger ignored_users_restarted before update of ignored_until_users on issues for each row
  when (old.status is distinct from new.status
    or old.ignored_until_users is distinct from new.ignored_until_users)
  execute function forget_ignored_users();

create function note_triage_left() returns trigger language plpgsql as $$
begin
  new.triage_left_at := now();
  return new;
end $$;

create trigger triage_left before update of triage_at, merged_into on issues for each row
  when (old.triage_at is not null and old.merged_into is null
    and (new.triage_at is null or new.merged_into is not null))
  execute function note_triage_left();

-- Versions that do not know the columns above run beside this one during an upgrade. What they write
-- is completed: a new or regressed issue enters the queue, and what belongs to a state ends with it.
create function queue_new_issue() returns trigger language plpgsql as $$
begin
  new.triage_at := now();
  new.triage_reason := 'new';
  return new;
end $$;

create trigger new_issue_queued before insert on issues for each row
  when (new.triage_at is null and new.status = 'unresolved' and new.substatus = 'new')
  execute function queue_new_issue();

create function end_former_state() returns trigger language plpgsql as $$
begin
  if new.status <> 'resolved' then
    new.resolved_in := null;
    new.resolved_release := null;
    new.resolved_commit := null;
  end if;
  if new.status <> 'ignored' then
    new.ignored_until := null;
    new.ignored_until_count := null;
    new.ignored_until_users := null;
    new.ignored_until_escalating := false;
  end if;
  if new.status <> 'unresolved' then
    if new.triage_at is not null then new.triage_left_at := now(); end if;
    new.triage_at := null;
    new.triage_reason := null;
    new.snoozed_until := null;
    new.escalated_at := null;
    new.escalation := null;
  elsif new.substatus = 'regressed' and new.triage_at is null then
    new.triage_at := now();
    new.triage_reason := 'regressed';
  end if;
  return new;
end $$;

create trigger former_state_ended before update of status on issues for each row
  when (old.status is distinct from new.status) execute function end_former_state();

-- How many events of an issue an hour of the week may bring before it is escalating.
create table issue_forecasts (
  issue_id uuid primary key references issues on delete cascade,
  -- The end of the hours that it is made of.
  made_at timestamptz not null,
  -- By hour of the week, Monday 00:00 UTC first.
  expected int[] not null check (cardinality(expected) = 168),
  limits int[] not null check (cardinality(limits) = 168)
);

alter table monitors
  -- Hidden from the triage queue until then.
  add column snoozed_until timestamptz;

alter table projects
  -- Ownership rules as people wrote them (schemas/rest/ownership.ts).
  add column ownership text not null default '';

-- Full hashes of the commits that are new in the release, in lower case.
alter table releases
  add column commits text[] not null default '{}';
