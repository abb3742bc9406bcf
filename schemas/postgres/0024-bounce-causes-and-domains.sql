-- Why an email came back, and who owns a sending domain.

-- Null: reported with a type alone, or before this migration.
alter table bounce_reports add column cause text;

create index bounce_reports_by_cause on bounce_reports (organization_id, cause, id desc) where cause is not null;
-- Suppressions are lifted in bulk by cause and time.
create index addresses_suppressed_by_cause on addresses (organization_id, suppression_cause, suppressed_at)
  where suppressed_at is not null;

-- As before, with the cause. A report that does not count changes nothing but the list of reports.
create function record_bounce(
  report uuid, subject uuid, bounce_type text, counts boolean, report_source text, report_event text, report_message text,
  report_excerpt text, happened_at timestamptz, now_at timestamptz, of_campaign uuid, report_cause text
) returns table (outcome text, suppressed boolean, soft_bounces int) language plpgsql as $$
declare
  address addresses;
  is_first_of_letter boolean;
begin
  select * into strict address from addresses where id = subject for update;
  is_first_of_letter := not exists (select from bounce_reports b where b.address_id = subject and b.counted
    and b.message_ref = report_message and (b.type = 'complaint') = (bounce_type = 'complaint'));

  insert into bounce_reports
      (id, organization_id, address_id, type, counted, source, event_id, message_ref, excerpt, at, received_at, cause)
    values (report, address.organization_id, subject, bounce_type,
      counts and (address.suppressed_at is null or (bounce_type = 'complaint' and address.suppression_cause <> 'complaint')),
      report_source, report_event, report_message, report_excerpt, happened_at, now_at, report_cause)
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

-- For processes that were started before this migration.
create or replace function record_bounce(
  report uuid, subject uuid, bounce_type text, counts boolean, report_source text, report_event text, report_message text,
  report_excerpt text, happened_at timestamptz, now_at timestamptz, of_campaign uuid
) returns table (outcome text, suppressed boolean, soft_bounces int) language sql as $$
  select * from record_bounce(report, subject, bounce_type, counts, report_source, report_event, report_message, report_excerpt,
    happened_at, now_at, of_campaign, null::text)
$$;

alter table sending_domains
  -- What the organization publishes in the TXT record of `_sluice.` and the domain. Each organization has its own.
  add column proof_token text not null default replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''),
  -- False for domains added before proofs existed: their own DKIM key in the DNS proves as much.
  add column proof_required boolean not null default true,
  -- pending: never verified. verified: signs, and moves the envelope sender. failed: was verified, and is not any more.
  add column state text not null default 'pending' check (state in ('pending', 'verified', 'failed')),
  -- One sentence for people; null while verified or never checked.
  add column state_reason text,
  add column state_at timestamptz not null default now(),
  -- Since when the domain is this organization's; null: not proven, or another organization proved it later.
  add column owned_at timestamptz,
  -- Checks in a row without an answer from the name servers, and when the first of them was.
  add column unanswered_checks int not null default 0,
  add column unanswered_since timestamptz,
  -- When the DNS is asked again without anybody asking for it.
  add column check_due_at timestamptz not null default now();

-- Domains that were verified stay so. Of several organizations with one domain, the one whose records were seen last keeps it,
-- and the others have to prove it.
with ranked as (
  select id, row_number() over (partition by domain order by passed desc, checked_at desc nulls last, created_at, id) as place,
      passed, checked_at
    from (
      select d.*, coalesce((
          select count(distinct c->>'use') filter (where c->>'state' = 'pass' and c->>'use' in ('dkim', 'spf')) = 2
            from jsonb_array_elements(case jsonb_typeof(d.check_result) when 'array' then d.check_result else '[]' end) c
        ), false) as passed
        from sending_domains d
    ) checked
)
update sending_domains d set
    proof_required = r.place <> 1,
    state = case when r.place = 1 and r.passed then 'verified' else 'pending' end,
    owned_at = case when r.place = 1 and r.passed then coalesce(r.checked_at, now()) end
  from ranked r where r.id = d.id;

create unique index sending_domains_owned on sending_domains (domain) where owned_at is not null;
create index sending_domains_due on sending_domains (check_due_at);

-- Domains that an operator allows as From addresses without their DNS being checked, as for a relay that signs by itself.
create table allowed_from_domains (
  organization_id uuid not null references organizations on delete cascade,
  domain text not null,
  reason text,
  created_by text not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, domain)
);
