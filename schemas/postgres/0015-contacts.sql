-- Newsletters, the mailboxes an organization has ever met, and who reads what. What a reader sees is contacts.status; what a
-- sender checks is addresses.suppressed_at. Both are written in one transaction, and the sender trusts only the second.

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
  -- When a letter was last handed over, and the one before: what silence after a later letter means is told from these.
  last_sent_at timestamptz,
  suppressed_at timestamptz,
  suppression_cause text check (suppression_cause in ('hard', 'soft_run', 'complaint', 'manual')),
  suppression_source text,
  created_at timestamptz not null default now(),
  check ((suppressed_at is null) = (suppression_cause is null)),
  unique (organization_id, email_key)
);

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

-- Append only, each report as it came.
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
