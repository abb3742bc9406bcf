-- Newsletters, the mailboxes an organization has ever met, and who reads what. What a reader sees is contacts.status; what a
-- sender checks is addresses.suppressed_at. Both are written in one transaction, and the sender trusts only the second.

create extension if not exists pg_trgm;

alter table newsletters
  add column description text,
  add column from_name text,
  add column reply_to text,
  add column archive_enabled boolean not null default true,
  add column archive_noindex boolean not null default false,
  add column track_opens boolean not null default false,
  add column track_clicks boolean not null default false,
  -- False: hits are counted for the campaign only, not for the reader.
  add column track_readers boolean not null default false,
  add column postal_address text,
  add column logo_url text,
  add column footer text,
  add column locale text not null default 'en',
  add column confirm_redirect_url text,
  add column welcome_enabled boolean not null default false,
  add column welcome_subject text,
  add column welcome_markdown text,
  add column updated_at timestamptz not null default now();

-- An entry blocks the domain and every subdomain. A-label, lower case, no trailing dot.
create table blocked_domains (
  organization_id uuid not null references organizations on delete cascade,
  domain text not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, domain)
);

create table addresses (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  -- Local part in lower case, domain as A-label. Erased: sha256 of it, so that an import cannot bring a complainer back.
  email_key text not null,
  -- As the person typed it; null once erased.
  email text,
  -- Soft bounces in a row, and when the last one came.
  soft_run int not null default 0 check (soft_run >= 0),
  soft_last_at timestamptz,
  last_sent_at timestamptz,
  -- The first letter handed over after the last soft bounce: silence after it is proof that it arrived.
  sent_since_soft_at timestamptz,
  suppressed_at timestamptz,
  suppression_cause text check (suppression_cause in ('hard', 'soft_run', 'complaint', 'manual')),
  suppression_source text,
  created_at timestamptz not null default now(),
  check ((suppressed_at is null) = (suppression_cause is null)),
  unique (organization_id, email_key)
);

-- Support looks for a part of an address.
create index addresses_trigrams on addresses using gin (email_key gin_trgm_ops);

create index addresses_suppressed on addresses (organization_id, suppressed_at desc) where suppressed_at is not null;

create table contacts (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  newsletter_id uuid not null references newsletters on delete cascade,
  address_id uuid not null references addresses on delete cascade,
  status text not null check (status in ('pending', 'subscribed', 'unsubscribed', 'bounced', 'complained')),
  -- What lifting a suppression brings back.
  status_before text check (status_before in ('pending', 'subscribed', 'unsubscribed')),
  name text,
  attribs jsonb not null default '{}',
  -- Of the first signup; each later one stands in contact_events.
  source text,
  signup_at timestamptz not null default now(),
  signup_ip text,
  confirmed_at timestamptz,
  confirmed_ip text,
  confirmed_user_agent text,
  unsubscribed_at timestamptz,
  updated_at timestamptz not null default now(),
  unique (newsletter_id, address_id)
);

-- The order in which a campaign's audience is read, and in which the dashboard pages.
create index contacts_of_newsletter on contacts (newsletter_id, status, id);
create index contacts_of_address on contacts (address_id);
-- The newest first, as people look at them.
create index contacts_newest on contacts (organization_id, id desc);
-- Who never confirmed is forgotten.
create index contacts_pending on contacts (updated_at) where status = 'pending';

-- Append only: why this person gets, or does not get, our mail.
create table contact_events (
  id uuid primary key,
  contact_id uuid not null references contacts on delete cascade,
  kind text not null,
  -- signup, confirm_page, unsubscribe_page, one_click, preferences, dashboard, import, bounce, command_line.
  via text not null,
  source text,
  ip text,
  user_agent text,
  details jsonb not null default '{}',
  at timestamptz not null default now()
);

create index contact_events_of_contact on contact_events (contact_id, at desc);

create table confirm_tokens (
  token_hash bytea primary key,
  contact_id uuid not null references contacts on delete cascade,
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null default now()
);

create index confirm_tokens_of_contact on confirm_tokens (contact_id, created_at desc);
create index confirm_tokens_by_end on confirm_tokens (expires_at);

-- Append only, each report as it came.
-- A file of contacts on its way in. Whoever holds the lease works on it; what is done is counted with what it did, so that
-- another process goes on after a crash without doing a line twice.
create table contact_imports (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  newsletter_id uuid not null references newsletters on delete cascade,
  -- What the columns of the file mean, and what becomes of contacts that are there already.
  plan jsonb not null,
  -- True: everything is checked and counted, and nothing is written.
  dry_run boolean not null,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
  attempt int not null default 0,
  lease_until timestamptz,
  file_bytes bigint not null,
  bytes_done bigint not null default 0,
  rows_done int not null default 0,
  created int not null default 0,
  updated int not null default 0,
  unchanged int not null default 0,
  refused int not null default 0,
  -- The first of the refused: [{ line, field, rule }].
  problems jsonb not null default '[]',
  -- Why it failed, for people.
  reason text,
  created_by text not null,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);

create index contact_imports_newest on contact_imports (organization_id, id desc);
create index contact_imports_open on contact_imports (created_at) where state in ('waiting', 'running');

-- The file, until its import is over.
create table contact_import_chunks (
  import_id uuid not null references contact_imports on delete cascade,
  chunk_no int not null,
  bytes bytea not null,
  primary key (import_id, chunk_no)
);

create table bounce_reports (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  address_id uuid not null references addresses on delete cascade,
  type text not null check (type in ('hard', 'soft', 'complaint')),
  -- False: told about, and of no consequence (a report on a suppressed address, one about our reputation).
  counted boolean not null,
  source text,
  -- The provider's name for this report: what it delivers twice counts once.
  event_id text,
  -- The letter it is about, when that could be told.
  message_ref text,
  excerpt text,
  at timestamptz not null,
  received_at timestamptz not null default now()
);

create unique index bounce_reports_once on bounce_reports (organization_id, source, event_id) where event_id is not null;
create index bounce_reports_of_address on bounce_reports (address_id, received_at desc);
create index bounce_reports_newest on bounce_reports (organization_id, id desc);

-- Kept here, so that whoever hands letters over need only say when.
create function note_first_letter_after_soft() returns trigger language plpgsql as $$
begin
  new.sent_since_soft_at := new.last_sent_at;
  return new;
end
$$;

create trigger addresses_first_letter_after_soft before update of last_sent_at on addresses for each row
  when (new.soft_run > 0 and new.sent_since_soft_at is null and new.last_sent_at > old.soft_last_at)
  execute function note_first_letter_after_soft();

-- Suppresses, or makes a complaint of what was suppressed for less; false: nothing changed. The address row comes first in all
-- transactions, and all newsletters of the organization follow it.
create function suppress_address(subject uuid, cause text, cause_source text, event_via text, now_at timestamptz)
returns boolean language plpgsql as $$
declare
  new_status text := case cause when 'complaint' then 'complained' else 'bounced' end;
begin
  update addresses set suppressed_at = coalesce(suppressed_at, now_at), suppression_cause = cause,
      suppression_source = cause_source
    where id = subject
      and (suppressed_at is null or (cause = 'complaint' and suppression_cause <> 'complaint'));
  if not found then return false; end if;

  with changed as (
    update contacts set status = new_status, updated_at = now_at,
        status_before = case when status in ('bounced', 'complained') then status_before else status end
      where address_id = subject and status not in (new_status, 'complained')
      returning id
  )
  insert into contact_events (id, contact_id, kind, via, source, details, at)
    select uuidv7(), id, new_status, event_via, cause_source, jsonb_build_object('cause', cause), now_at from changed;
  return true;
end
$$;

-- The only way a bounce gets in, from whichever process: the report, the run of softs, the suppression and the contacts in one
-- step, behind the lock of the address, so that three softs at once are three in a row. A run starts anew when a letter was handed
-- over after its last soft bounce and 72 hours ago or more: nothing came back, so it arrived.
create function record_bounce(
  report uuid, subject uuid, bounce_type text, counts boolean, report_source text, report_event text, report_message text,
  report_excerpt text, happened_at timestamptz, now_at timestamptz, of_campaign uuid
) returns table (outcome text, suppressed boolean, soft_bounces int) language plpgsql as $$
declare
  address addresses;
  is_first_of_letter boolean;
begin
  select * into strict address from addresses where id = subject for update;
  is_first_of_letter := not exists (select from bounce_reports b where b.address_id = subject and b.counted
    and b.message_ref = report_message and (b.type = 'complaint') = (bounce_type = 'complaint'));

  insert into bounce_reports (id, organization_id, address_id, type, counted, source, event_id, message_ref, excerpt, at, received_at)
    values (report, address.organization_id, subject, bounce_type,
      counts and (address.suppressed_at is null or (bounce_type = 'complaint' and address.suppression_cause <> 'complaint')),
      report_source, report_event, report_message, report_excerpt, happened_at, now_at)
    on conflict do nothing;
  if not found then
    return query select 'duplicate', address.suppressed_at is not null, address.soft_run;
    return;
  end if;

  if counts and of_campaign is not null and is_first_of_letter then
    update campaign_counts set
        bounced = bounced + case when bounce_type = 'complaint' then 0 else 1 end,
        complained = complained + case when bounce_type = 'complaint' then 1 else 0 end
      where campaign_id = of_campaign;
  end if;

  if counts and bounce_type = 'soft' and address.suppressed_at is null then
    address.soft_run := case when address.sent_since_soft_at < now_at - interval '72 hours' then 1
      else address.soft_run + 1 end;
    update addresses set soft_run = address.soft_run, soft_last_at = now_at, sent_since_soft_at = null where id = subject;
    if address.soft_run >= 3 then perform suppress_address(subject, 'soft_run', report_source, 'bounce', now_at); end if;
  elsif counts and bounce_type <> 'soft' then
    perform suppress_address(subject, bounce_type, report_source, 'bounce', now_at);
  end if;
  return query select case when counts then 'counted' else 'noted' end, a.suppressed_at is not null, a.soft_run
    from addresses a where a.id = subject;
end
$$;

-- A person's decision. A complainer comes back only as one who unsubscribed; so does whoever was never anything else here.
create function lift_suppression(subject uuid, reason text, event_via text, now_at timestamptz)
returns boolean language plpgsql as $$
declare
  lifted_cause text;
begin
  select suppression_cause into lifted_cause from addresses where id = subject for update;
  if lifted_cause is null then return false; end if;
  update addresses set suppressed_at = null, suppression_cause = null, suppression_source = null, soft_run = 0,
      soft_last_at = null, sent_since_soft_at = null
    where id = subject;

  with changed as (
    update contacts set updated_at = now_at, status_before = null,
        status = case status when 'complained' then 'unsubscribed' else coalesce(status_before, 'unsubscribed') end
      where address_id = subject and status in ('bounced', 'complained')
      returning id, status
  )
  insert into contact_events (id, contact_id, kind, via, details, at)
    select uuidv7(), id, 'suppression_lifted', event_via,
        jsonb_build_object('cause', lifted_cause, 'reason', reason, 'status', status), now_at
      from changed;
  return true;
end
$$;
