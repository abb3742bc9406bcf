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
  -- Claims of it so far: the fence. Only grows, so that what a process does late never meets a later claim of its own.
  attempt int not null default 0,
  -- Hand-overs that were tried: what the waits between them go by.
  tries int not null default 0,
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
-- What is long done is forgotten.
create index sends_finished on sends (finished_at) where finished_at is not null;
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
  -- As in sends.
  attempt int not null default 0,
  tries smallint not null default 0,
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
  clicks_machine bigint not null default 0,
  -- Letters a second, as of the last whole window; and the window that runs: since when, and how many so far.
  rate double precision,
  rate_from timestamptz,
  rate_count int not null default 0
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

create index tracking_hits_of_readers on tracking_hits (at) where contact_id is not null;
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

-- A mail process holds an advisory lock for as long as it lives: classid 8037, and a hash of its id.
create function is_mail_process_alive(process uuid) returns boolean language sql as $$
  select exists (
    select from pg_locks l join pg_database d on d.oid = l.database
      where d.datname = current_database() and l.locktype = 'advisory' and l.classid = 8037 and l.objsubid = 2 and l.granted
        and l.objid::bigint = (hashtext(process::text)::bigint & 4294967295)
  )
$$;

-- The end of a group of claims, by the process that holds them. Only where the attempt is still its own: what others have taken over
-- is theirs. `released` gives back what was not tried. Addresses come before counts, as in record_bounce, so that the two never wait
-- for each other in a circle; and the lock of the counts puts a cancellation before or after all of it.
create function settle_deliveries(
  of_campaign uuid, process uuid, contact_ids uuid[], address_ids uuid[], attempts int[], states text[], reasons text[],
  delays double precision[]
) returns int language plpgsql as $$
declare
  is_cancelled boolean;
  settled int;
begin
  perform from addresses a
    where a.id in (select r.address_id from unnest(address_ids, states) r (address_id, state) where r.state = 'sent')
    order by a.id for no key update;
  update addresses a set last_sent_at = now()
    where a.id in (select r.address_id from unnest(address_ids, states) r (address_id, state) where r.state = 'sent');
  perform from campaign_counts c where c.campaign_id = of_campaign for update;
  select c.state = 'cancelled' into is_cancelled from campaigns c where c.id = of_campaign;

  with before as (
    select d.contact_id, d.state as old_state, r.state as result, r.reason, r.delay,
        case when r.state not in ('queued', 'released') then r.state when is_cancelled then 'cancelled' else 'queued' end as new_state
      from unnest(contact_ids, attempts, states, reasons, delays) r (contact_id, attempt, state, reason, delay)
        join deliveries d on d.campaign_id = of_campaign and d.contact_id = r.contact_id and d.attempt = r.attempt
      where d.claimed_by = process and d.state in ('claimed', 'handed_over', 'uncertain')
      for update of d
  ), changed as (
    update deliveries d set state = b.new_state, reason = b.reason, lease_until = null,
        tries = d.tries - case when b.result = 'released' and b.old_state <> 'claimed' then 1 else 0 end,
        not_before = case when b.new_state = 'queued' then now() + b.delay * interval '1 second' end,
        finished_at = case when b.new_state = 'queued' then null else now() end
      from before b where d.campaign_id = of_campaign and d.contact_id = b.contact_id
      returning b.old_state, b.new_state
  ), sums as (
    select count(*) as changed,
        count(*) filter (where new_state <> 'queued' and old_state <> 'uncertain') as finished,
        count(*) filter (where new_state = 'queued' and old_state = 'uncertain') as revived,
        count(*) filter (where old_state = 'uncertain') as settled_late,
        count(*) filter (where new_state = 'sent') as sent,
        count(*) filter (where new_state = 'failed') as failed,
        count(*) filter (where new_state = 'skipped') as skipped,
        count(*) filter (where new_state = 'uncertain') as uncertain,
        count(*) filter (where new_state = 'cancelled') as cancelled
      from changed
  ), counted as (
    update campaign_counts c set
        waiting = c.waiting - s.finished + s.revived,
        sent = c.sent + s.sent,
        failed = c.failed + s.failed,
        skipped = c.skipped + s.skipped,
        uncertain = c.uncertain + s.uncertain - s.settled_late,
        cancelled = c.cancelled + s.cancelled,
        rate = case when c.rate_from < now() - interval '5 seconds'
          then (c.rate_count + s.finished) / extract(epoch from now() - c.rate_from) else c.rate end,
        rate_count = case when c.rate_from < now() - interval '5 seconds' then 0 else c.rate_count + s.finished end,
        rate_from = case when c.rate_from is null or c.rate_from < now() - interval '5 seconds' then now() else c.rate_from end
      from sums s where c.campaign_id = of_campaign
      returning s.changed
  )
  select c.changed into settled from counted c;
  return settled;
end
$$;

-- Claims whose holder is gone or too slow. What was not handed over goes back; what was may have arrived, and nobody knows.
create function recover_deliveries() returns table (campaign_id uuid, requeued int, uncertain int) language plpgsql as $$
declare
  dead uuid[];
begin
  select array_agg(h.claimed_by) into dead from (
      select distinct d.claimed_by from deliveries d where d.state = 'claimed' and d.claimed_by is not null
    ) h where not is_mail_process_alive(h.claimed_by);
  for recover_deliveries.campaign_id in
    select distinct d.campaign_id from deliveries d
      where d.state in ('claimed', 'handed_over') and (d.lease_until < now() or (d.state = 'claimed' and d.claimed_by = any(dead)))
      order by 1
  loop
    perform from campaign_counts c where c.campaign_id = recover_deliveries.campaign_id for update;
    with expired as (
      select d.contact_id, d.state as old_state, c.state = 'cancelled' as is_cancelled
        from deliveries d join campaigns c on c.id = d.campaign_id
        where d.campaign_id = recover_deliveries.campaign_id and d.state in ('claimed', 'handed_over')
          and (d.lease_until < now() or (d.state = 'claimed' and d.claimed_by = any(dead)))
        limit 10000
        for update of d skip locked
    ), changed as (
      update deliveries d set lease_until = null,
          state = case when e.old_state = 'handed_over' then 'uncertain' when e.is_cancelled then 'cancelled' else 'queued' end,
          reason = case when e.old_state = 'handed_over' then 'process_lost' end,
          finished_at = case when e.old_state = 'handed_over' or e.is_cancelled then now() end
        from expired e where d.campaign_id = recover_deliveries.campaign_id and d.contact_id = e.contact_id
        returning d.state
    ), sums as (
      select count(*) filter (where s.state = 'queued') as requeued, count(*) filter (where s.state = 'uncertain') as uncertain,
          count(*) filter (where s.state = 'cancelled') as cancelled
        from changed s
    ), counted as (
      update campaign_counts c set waiting = c.waiting - s.uncertain - s.cancelled, uncertain = c.uncertain + s.uncertain,
          cancelled = c.cancelled + s.cancelled
        from sums s where c.campaign_id = recover_deliveries.campaign_id
        returning s.requeued, s.uncertain
    )
    select n.requeued, n.uncertain into recover_deliveries.requeued, recover_deliveries.uncertain from counted n;
    return next;
  end loop;
end
$$;

-- What still waits of a campaign that was cancelled; a part at a time, so that a million hold no lock for long.
create function cancel_deliveries(of_campaign uuid, most int) returns int language plpgsql as $$
declare
  done int;
begin
  perform from campaign_counts c where c.campaign_id = of_campaign for update;
  with waiting as (
    select d.contact_id from deliveries d where d.campaign_id = of_campaign and d.state = 'queued' limit most for update
  ), changed as (
    update deliveries d set state = 'cancelled', finished_at = now(), not_before = null
      from waiting w where d.campaign_id = of_campaign and d.contact_id = w.contact_id returning 1
  )
  select count(*) into done from changed;
  update campaign_counts c set waiting = c.waiting - done, cancelled = c.cancelled + done where c.campaign_id = of_campaign;
  return done;
end
$$;

-- Back into the queue, because a person says so: all of one state, or the contacts that are named.
create function requeue_deliveries(of_campaign uuid, from_state text, contact_ids uuid[]) returns int language plpgsql as $$
declare
  done int;
begin
  perform from campaign_counts c where c.campaign_id = of_campaign for update;
  with changed as (
    update deliveries d set state = 'queued', reason = null, not_before = null, finished_at = null, lease_until = null
      where d.campaign_id = of_campaign and d.state = from_state and from_state in ('uncertain', 'failed')
        and (contact_ids is null or d.contact_id = any(contact_ids))
      returning 1
  )
  select count(*) into done from changed;
  update campaign_counts c set waiting = c.waiting + done,
      uncertain = c.uncertain - case when from_state = 'uncertain' then done else 0 end,
      failed = c.failed - case when from_state = 'failed' then done else 0 end
    where c.campaign_id = of_campaign;
  return done;
end
$$;

-- Takes up to `wanted` letters out of the bucket of a transport; it holds at most a second's worth. Letters that somebody waits for
-- are always granted: they may leave it in debt, which the others work off.
create function take_mail_tokens(transport text, wanted int, always boolean) returns int language plpgsql as $$
declare
  bucket mail_transports;
  granted int;
begin
  select * into bucket from mail_transports where name = transport for update;
  if not found or bucket.rate_max is null then return wanted; end if;
  bucket.tokens := least(greatest(bucket.rate_max, 1),
    bucket.tokens + extract(epoch from clock_timestamp() - bucket.refilled_at) * bucket.rate_max);
  granted := case when always then wanted else least(wanted, greatest(0, floor(bucket.tokens)::int)) end;
  update mail_transports set tokens = bucket.tokens - granted, refilled_at = clock_timestamp() where name = transport;
  return granted;
end
$$;
