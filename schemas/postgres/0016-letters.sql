-- Single letters (sends), campaigns and their ledger. Both ledgers have one life:
--   queued -> claimed -> handed_over -> sent | failed | uncertain, and aside: skipped, cancelled
-- The mark handed_over is durable before the first byte of a letter leaves, and only the holder of the claim's attempt can make it.

create table sends (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  newsletter_id uuid references newsletters on delete set null,
  address_id uuid not null references addresses on delete cascade,
  -- confirmation: double opt-in; transactional: POST /send; notice: portal; welcome; test: a draft to oneself; system: to owners.
  kind text not null check (kind in ('confirmation', 'transactional', 'notice', 'welcome', 'test', 'system')),
  -- The smaller goes first: 0 confirmation and system, 1 transactional, 2 the others. Campaigns come after all of them.
  priority smallint not null,
  from_address text not null,
  from_name text,
  reply_to text,
  to_address text not null,
  to_name text,
  subject text not null,
  html text,
  text text not null,
  -- Of ours only: Auto-Submitted, List-Unsubscribe and the like.
  headers jsonb not null default '{}',
  state text not null default 'queued'
    check (state in ('queued', 'claimed', 'handed_over', 'sent', 'failed', 'skipped', 'uncertain', 'cancelled')),
  attempt int not null default 0,
  not_before timestamptz not null default now(),
  lease_until timestamptz,
  -- The mail process that holds the claim.
  claimed_by uuid,
  -- Why failed, skipped or uncertain; the server's last answer.
  reason text,
  handed_over_at timestamptz,
  finished_at timestamptz,
  created_at timestamptz not null default now()
);

create index sends_waiting on sends (priority, not_before) where state = 'queued';
create index sends_leased on sends (lease_until) where state in ('claimed', 'handed_over');
create index sends_by_time on sends (organization_id, created_at desc, id desc);
create index sends_of_address on sends (address_id, created_at desc);

create table campaigns (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  newsletter_id uuid not null references newsletters on delete cascade,
  state text not null default 'draft'
    check (state in ('draft', 'scheduled', 'preparing', 'sending', 'paused', 'sent', 'cancelled', 'failed')),
  subject text not null,
  preview_text text,
  -- What the author wrote: one of the two.
  html text,
  markdown text,
  archive_slug text not null,
  -- Frozen when sending begins: the compiled letter (schemas/mail/compiled-letter.ts), sender and tracking as they were then.
  compiled jsonb,
  scheduled_at timestamptz,
  -- When sending began; the archive page is public from then.
  sent_at timestamptz,
  finished_at timestamptz,
  -- Why it was paused or failed, for people.
  reason text,
  -- Where preparing goes on after a crash: contacts up to this id have their delivery.
  prepared_up_to uuid,
  -- Messages a second, for this campaign alone; null: the transport's.
  rate_max int check (rate_max > 0),
  warm_up boolean not null default false,
  created_by text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (newsletter_id, archive_slug)
);

create index campaigns_of_newsletter on campaigns (newsletter_id, sent_at desc, id desc);
create index campaigns_active on campaigns (state) where state in ('scheduled', 'preparing', 'sending', 'paused');

create table campaign_links (
  campaign_id uuid not null references campaigns on delete cascade,
  link_index int not null,
  url text not null,
  primary key (campaign_id, link_index)
);

create table deliveries (
  campaign_id uuid not null references campaigns on delete cascade,
  contact_id uuid not null,
  address_id uuid not null,
  state text not null default 'queued'
    check (state in ('queued', 'claimed', 'handed_over', 'sent', 'failed', 'skipped', 'uncertain', 'cancelled')),
  attempt smallint not null default 0,
  not_before timestamptz,
  lease_until timestamptz,
  claimed_by uuid,
  reason text,
  handed_over_at timestamptz,
  finished_at timestamptz,
  primary key (campaign_id, contact_id)
);

create index deliveries_waiting on deliveries (campaign_id, not_before nulls first, contact_id) where state = 'queued';
create index deliveries_leased on deliveries (lease_until) where state in ('claimed', 'handed_over');

-- One narrow row: updated once for each group of results. audience = the sum of all others, at all times.
create table campaign_counts (
  campaign_id uuid primary key references campaigns on delete cascade,
  audience bigint not null default 0,
  waiting bigint not null default 0,
  sent bigint not null default 0,
  failed bigint not null default 0,
  skipped bigint not null default 0,
  uncertain bigint not null default 0,
  cancelled bigint not null default 0,
  bounced bigint not null default 0,
  complained bigint not null default 0,
  opens bigint not null default 0,
  opens_machine bigint not null default 0,
  clicks bigint not null default 0,
  clicks_machine bigint not null default 0
);

-- Opens and clicks as they came; the mark `machine` is set when they are folded.
create table tracking_hits (
  id bigint generated always as identity primary key,
  campaign_id uuid not null references campaigns on delete cascade,
  -- Null where the newsletter counts without naming readers.
  contact_id uuid,
  kind text not null check (kind in ('open', 'click')),
  link_index int,
  machine boolean not null,
  user_agent text,
  at timestamptz not null
);

create index tracking_hits_of_campaign on tracking_hits (campaign_id, contact_id);

-- Token bucket of a transport, shared by all mail processes in blocks. One number: messages a second.
create table mail_transports (
  name text primary key,
  rate_max int check (rate_max > 0),
  tokens double precision not null default 0,
  refilled_at timestamptz not null default now()
);

create table sending_domains (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  domain text not null,
  -- The DKIM selector, and the private key (PEM, PKCS #8) sealed under SLUICE_SECRET: purpose `dkim`, place the row's id.
  selector text not null,
  sealed_key bytea not null,
  -- The DNS record's p=: the public key's DER as base64.
  public_key text not null,
  -- Of envelope senders; null: `bounces.` and the domain.
  bounce_domain text,
  -- The last check: { spf, dkim, dmarc } and what was found.
  checked_at timestamptz,
  check_result jsonb,
  created_at timestamptz not null default now(),
  unique (organization_id, domain)
);

-- Of an organization: what a provider's webhook must prove.
create table bounce_adapters (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  -- message: whole bounce messages (RFC 3464) and complaints (RFC 5965), as a mail server pipes them.
  adapter text not null check (adapter in ('ses', 'postmark', 'mailgun', 'sendgrid', 'resend', 'message')),
  label text not null default '',
  -- Stands in the path; only its hash is kept.
  secret_hash bytea not null unique,
  -- The provider's signing key, topic, password, as JSON by adapter: purpose `bounce adapter`, place the row's id.
  sealed_settings bytea not null,
  last_used_at timestamptz,
  created_at timestamptz not null default now()
);
