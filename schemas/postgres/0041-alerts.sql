-- Alert rules, what fired, and what was delivered where.

create table alert_rules (
  id uuid primary key,
  project_id bigint not null references projects (dsn_id) on delete cascade,
  name text not null,
  enabled boolean not null default true,
  -- {"when", "if", "quiet_hours"} as in schemas/rest/alerts/alert.ts. Targets are rows of their own.
  conditions jsonb not null,
  cooldown_seconds int not null check (cooldown_seconds between 0 and 2592000),
  digest_seconds int not null check (digest_seconds between 60 and 86400),
  muted_until timestamptz,
  -- The rule that every project begins with.
  is_default boolean not null default false,
  -- Nothing is sent before then: the end of the digest interval that the last notification began.
  next_notification_at timestamptz,
  last_fired_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index alert_rules_project on alert_rules (project_id);
create unique index alert_rules_default on alert_rules (project_id) where is_default;

-- Outgoing webhooks for the events of the whole product.
create table webhooks (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  label text not null,
  -- As `contact.subscribed`; schemas/rest/alerts/webhook.ts has the list.
  events text[] not null,
  enabled boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index webhooks_organization on webhooks (organization_id);

-- Where notifications go. A rule has at most ten, a webhook exactly one.
create table notification_targets (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  rule_id uuid references alert_rules on delete cascade,
  webhook_id uuid references webhooks on delete cascade,
  type text not null,
  -- What may be shown: the URL without secrets, recipients, channel.
  shown jsonb not null,
  -- Sealed JSON of the whole target with its URL, token, and webhook secret; null for email.
  sealed_settings bytea,
  -- Set when it answered 410, or by a person. Nothing is sent there.
  disabled_at timestamptz,
  disabled_reason text,
  -- The circuit breaker: consecutive failures, and until when nothing is sent.
  failures int not null default 0,
  open_until timestamptz,
  -- The worker that sends to it now, and until when no other one may.
  lease_id uuid,
  leased_until timestamptz,
  created_at timestamptz not null default now(),
  check ((rule_id is null) <> (webhook_id is null))
);

create index notification_targets_rule on notification_targets (rule_id) where rule_id is not null;
create index notification_targets_webhook on notification_targets (webhook_id) where webhook_id is not null;

-- Events that match a rule with a threshold, by when they were received. A window is a sum of at most
-- sixty rows: each window length of a rule counts in steps of its own.
create table alert_counts (
  rule_id uuid not null references alert_rules on delete cascade,
  issue_id uuid not null references issues on delete cascade,
  step_seconds bigint not null,
  -- Start of the step.
  minute timestamptz not null,
  count bigint not null,
  primary key (rule_id, issue_id, step_seconds, minute)
) with (fillfactor = 80);

create index alert_counts_issue on alert_counts (issue_id);

-- Users with events that match such a rule. The hash differs between projects.
create table alert_users (
  rule_id uuid not null references alert_rules on delete cascade,
  issue_id uuid not null references issues on delete cascade,
  -- Start of the window that is compared with the one before; the epoch for a sliding window.
  period timestamptz not null default 'epoch',
  user_hash bigint not null,
  seen_at timestamptz not null,
  primary key (rule_id, issue_id, period, user_hash)
) with (fillfactor = 80);

create index alert_users_issue on alert_users (issue_id);

-- What a rule last fired about a subject (an issue, a monitor, a measure): cooldown, and for measures
-- whether the threshold is passed still.
create table alert_subjects (
  rule_id uuid not null references alert_rules on delete cascade,
  -- `issue:<id>`, `monitor:<id>:<environment>`, `crash_free`, …
  subject text not null,
  fired_at timestamptz not null,
  is_over boolean not null default false,
  primary key (rule_id, subject)
);

-- One row for each time that a rule fired.
create table alert_firings (
  id bigint generated always as identity primary key,
  rule_id uuid not null references alert_rules on delete cascade,
  project_id bigint not null references projects (dsn_id) on delete cascade,
  -- When[].type of the condition that held.
  type text not null,
  issue_id uuid references issues on delete cascade,
  event_id uuid,
  -- A sentence with the numbers.
  reason text not null,
  -- What the notification shows beside the issue: monitor, release, environment, idea, numbers.
  data jsonb not null default '{}',
  -- The same for every attempt at the same cause, so that it fires once.
  cause text not null,
  at timestamptz not null,
  -- Null while it waits for the rule's next notification.
  notification_id uuid,
  unique (rule_id, cause)
);

create index alert_firings_waiting on alert_firings (rule_id, id) where notification_id is null;
create index alert_firings_issue on alert_firings (issue_id) where issue_id is not null;
create index alert_firings_at on alert_firings (at);

-- One row for each notification and target: exactly one, whatever is killed.
create table notification_deliveries (
  -- Also the `webhook-id`.
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  target_id uuid not null references notification_targets on delete cascade,
  rule_id uuid references alert_rules on delete cascade,
  webhook_id uuid references webhooks on delete cascade,
  notification_id uuid,
  -- The body of the webhook; other channels are written from it.
  payload jsonb not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  is_test boolean not null default false,
  -- [{"at", "status", "latency_ms", "error", "response"}], the last twenty, oldest first.
  attempts jsonb not null default '[]',
  -- Attempts since it was created or replayed.
  attempt_count int not null default 0,
  created_at timestamptz not null default now(),
  -- Retries end three days after this, or after `created_at` if it was never replayed.
  replayed_at timestamptz,
  -- Null once it is finished.
  next_attempt_at timestamptz default now(),
  finished_at timestamptz
);

create index notification_deliveries_by_rule on notification_deliveries (rule_id, id desc) where rule_id is not null;
create index notification_deliveries_by_webhook on notification_deliveries (webhook_id, id desc) where webhook_id is not null;
-- The log of those that are not delivered, which are few.
create index notification_deliveries_open_by_rule on notification_deliveries (rule_id, state, id desc)
  where rule_id is not null and state <> 'delivered';
create index notification_deliveries_open_by_webhook on notification_deliveries (webhook_id, state, id desc)
  where webhook_id is not null and state <> 'delivered';
create index notification_deliveries_by_target on notification_deliveries (target_id, next_attempt_at, id);
create index notification_deliveries_due on notification_deliveries (next_attempt_at) where state = 'pending';
create index notification_deliveries_created on notification_deliveries (created_at);
create unique index notification_deliveries_once on notification_deliveries (notification_id, target_id) where notification_id is not null;

-- Recipients who stopped the emails of a rule, or of one issue.
create table alert_stops (
  person_id uuid not null references people on delete cascade,
  rule_id uuid references alert_rules on delete cascade,
  issue_id uuid references issues on delete cascade,
  created_at timestamptz not null default now(),
  check ((rule_id is null) <> (issue_id is null))
);

create unique index alert_stops_rule on alert_stops (rule_id, person_id) where rule_id is not null;
create unique index alert_stops_issue on alert_stops (issue_id, person_id) where issue_id is not null;

-- The rule that every project begins with (api/alerts/default-rule.ts).
insert into alert_rules (id, project_id, name, conditions, cooldown_seconds, digest_seconds, is_default)
select gen_random_uuid(), dsn_id, 'New and returned errors',
  '{"when": [{"type": "new_issue"}, {"type": "regression"}, {"type": "escalation"}],
    "if": {"level": ["error", "fatal"]}, "quiet_hours": null}', 1800, 600, true
from projects;

insert into notification_targets (id, organization_id, rule_id, type, shown)
select gen_random_uuid(), p.organization_id, r.id, 'email', '{"type": "email", "to": ["owners"]}'
from alert_rules r join projects p on p.dsn_id = r.project_id;

-- Changes with every change of the project's rules that digests have to know of. Null: it never had a
-- rule. Microseconds, because a counter would repeat its numbers after an older Postgres was put back,
-- and workers that run would keep rules that are gone.
alter table projects add column alert_rules_version bigint;

create function count_rule_changes() returns trigger language plpgsql as $$
begin
  update projects set alert_rules_version = greatest(coalesce(alert_rules_version, 0) + 1,
    (extract(epoch from clock_timestamp()) * 1000000)::bigint)
   where dsn_id = coalesce(new.project_id, old.project_id);
  return null;
end $$;

create trigger rule_changes_counted after insert or delete or update of conditions, enabled on alert_rules
  for each row execute function count_rule_changes();

-- Wakes the jobs that send what waits in alert_firings. Part of the transaction that inserted it. In
-- order, because a waiting job is one row that concurrent transactions change. A database that no
-- worker has opened yet has no queue; workers find what waits each minute.
create function wake_rules(rules uuid[]) returns void language plpgsql as $$
begin
  if to_regclass('graphile_worker._private_jobs') is null then return; end if;
  perform graphile_worker.add_job('notify_rule', json_build_object('rule_id', id), job_key := 'notify:' || id,
    run_at := greatest(now(), next_notification_at), job_key_mode := 'preserve_run_at', max_attempts := 25)
  from (select id, next_notification_at from alert_rules where id = any(rules) order by id) waiting;
end $$;

-- Inserts firings of the enabled rules of a project that have a condition of this type. `value` is
-- what the condition may choose by: the kind of a monitor's failure, the status of an idea, the
-- percentage of a quota. A second call with the same cause changes nothing. Returns the rules that
-- fired, for wake_rules.
create function add_firings(project bigint, condition_type text, cause text, value text, reason text, data jsonb, at timestamptz)
returns uuid[] language plpgsql as $$
declare
  fired uuid[];
begin
  with chosen as (
    select id from alert_rules
    where project_id = project and enabled and exists (
      select from jsonb_array_elements(conditions -> 'when') as condition
      where condition ->> 'type' = condition_type
        and case condition_type
          when 'monitor_failed' then coalesce(condition -> 'kinds' ? add_firings.value, true)
          when 'idea_status' then coalesce(condition -> 'to' ? add_firings.value, true)
          when 'quota' then coalesce(condition -> 'percents' @> to_jsonb(add_firings.value::int), true)
          else true end)
      -- Monitors run in an environment, so `if` can choose by it.
      and (condition_type not in ('monitor_failed', 'monitor_recovered')
        or coalesce(conditions #> '{if,environment}' ? (add_firings.data #>> '{monitor,environment}'), true))
    order by id for key share
  ), inserted as (
    insert into alert_firings (rule_id, project_id, type, reason, data, cause, at)
    select id, project, condition_type, add_firings.reason, add_firings.data, add_firings.cause, add_firings.at from chosen
    on conflict on constraint alert_firings_rule_id_cause_key do nothing
    returning rule_id
  )
  select array_agg(rule_id) into fired from inserted;
  return coalesce(fired, '{}');
end $$;

-- Lets the rules of a project fire, as add_firings does, and enqueues their notifications. A
-- transaction calls it once, or calls add_firings and then wake_rules once, because concurrent ones
-- wait for each other's jobs. Returns how many rules fired.
create function fire_rules(project bigint, condition_type text, cause text, value text, reason text, data jsonb, at timestamptz default now())
returns int language plpgsql as $$
declare
  fired uuid[] := add_firings(project, condition_type, cause, value, reason, data, at);
begin
  if cardinality(fired) > 0 then
    perform wake_rules(fired);
  end if;
  return cardinality(fired);
end $$;

-- Rules that were made above.
update projects set alert_rules_version = 1 where dsn_id in (select project_id from alert_rules);

-- The event feed: what happens in the product, for the webhooks of its organization. Whoever causes an
-- event calls emit_event or emit_events in the same transaction.

create function is_fed(organization uuid, event_types text[]) returns boolean language sql stable as $$
  select exists (select from webhooks w where w.organization_id = organization and w.enabled and w.events && event_types)
$$;

-- One delivery for each event and each enabled webhook that wants its type; returns how many. The jobs
-- have no key: with one, transactions that cause events at the same time would wait for each other's
-- job, or for each other in a circle. A job that finds nothing to send ends at once.
create function emit_events(organization uuid, event_type text, datas jsonb[], happened_at timestamptz)
returns int language plpgsql as $$
declare
  targets uuid[];
  added int;
begin
  if not is_fed(organization, array[event_type]) then return 0; end if;
  with hooks as (
    select w.id, t.id as target_id from webhooks w join notification_targets t on t.webhook_id = w.id
     where w.organization_id = organization and w.enabled and event_type = any(w.events) and t.disabled_at is null
  ), inserted as (
    insert into notification_deliveries (id, organization_id, target_id, webhook_id, payload)
    select uuidv7(), organization, h.target_id, h.id, jsonb_build_object('type', event_type, 'timestamp',
        to_char(happened_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'data', e.data)
      from unnest(datas) with ordinality e (data, no), hooks h order by e.no, h.id
    returning target_id
  )
  select array_agg(distinct target_id), count(*) into targets, added from inserted;
  if added > 0 and exists (
    select from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname = 'graphile_worker' and p.proname = 'add_job'
  ) then
    perform graphile_worker.add_job('deliver', json_build_object('target_id', t.id)) from unnest(targets) t (id);
  end if;
  return added;
end
$$;

create function emit_event(organization uuid, event_type text, data jsonb, happened_at timestamptz default now())
returns int language sql as $$
  select emit_events(organization, event_type, array[data], happened_at)
$$;

-- Contacts: from their history, which every way to subscribe and unsubscribe writes. Imports and lists
-- of suppressed addresses have up to 100,000 rows and emit nothing.
create function feed_contact_event() returns trigger language plpgsql as $$
declare
  types constant text[] := case new.kind
    when 'confirmed' then array['contact.confirmed', 'contact.subscribed']
    when 'unsubscribed' then array['contact.unsubscribed']
    when 'bounced' then array['contact.bounced']
    when 'complained' then array['contact.complained']
    else array['contact.subscribed'] end;
  organization uuid;
  contact jsonb;
begin
  select c.organization_id, jsonb_build_object('id', c.id, 'email', a.email, 'name', c.name, 'status', c.status,
      'attribs', c.attribs, 'newsletter', jsonb_build_object('id', n.id, 'slug', n.slug, 'name', n.name))
    into organization, contact
    from contacts c join addresses a on a.id = c.address_id join newsletters n on n.id = c.newsletter_id
   where c.id = new.contact_id and a.email is not null and is_fed(c.organization_id, types);
  if organization is null then return null; end if;
  for place in 1 .. cardinality(types) loop
    perform emit_event(organization, types[place],
      jsonb_build_object('contact', contact, 'via', new.via, 'cause', new.details ->> 'cause'), new.at);
  end loop;
  return null;
end
$$;

create trigger contact_events_fed after insert on contact_events for each row
  when (new.via <> 'import' and (
    new.kind in ('confirmed', 'unsubscribed')
    or (new.kind in ('created', 'resubscribed', 'unsubscribe_undone') and new.details ->> 'status' = 'subscribed')
    or (new.kind in ('bounced', 'complained')
      and not (new.source is not distinct from 'import' and new.details ->> 'cause' = 'manual'))))
  execute function feed_contact_event();

-- Bounces of emails, also those that do not count. A complaint is one of the contact.
create function feed_bounce() returns trigger language plpgsql as $$
begin
  perform emit_event(new.organization_id, 'email.bounced',
      jsonb_build_object('to', a.email, 'type', new.type, 'cause', new.cause, 'counted', new.counted,
        'message_ref', new.message_ref), new.at)
    from addresses a where a.id = new.address_id and a.email is not null;
  return null;
end
$$;

create trigger bounce_reports_fed after insert on bounce_reports for each row
  when (new.type <> 'complaint') execute function feed_bounce();

-- Emails of a campaign that the mail server accepted: as many as the mail process settles at once.
create function feed_delivered(of_campaign uuid, contact_ids uuid[]) returns int language plpgsql as $$
declare
  campaign record;
begin
  select c.organization_id, c.subject into campaign from campaigns c
   where c.id = of_campaign and is_fed(c.organization_id, array['email.delivered']);
  if not found then return 0; end if;
  return emit_events(campaign.organization_id, 'email.delivered', array(
    select jsonb_build_object('to', a.email, 'kind', 'campaign', 'subject', campaign.subject,
        'send_id', null, 'campaign_id', of_campaign, 'contact_id', d.contact_id)
      from unnest(contact_ids) g (id) join deliveries d on d.campaign_id = of_campaign and d.contact_id = g.id
      join addresses a on a.id = d.address_id
     where a.email is not null), now());
end
$$;

-- Single emails that the mail server accepted. Sluice's own emails are not events of the product.
create function feed_sent() returns trigger language plpgsql as $$
begin
  perform emit_event(new.organization_id, 'email.delivered',
    jsonb_build_object('to', new.to_address, 'kind', new.kind, 'subject', new.subject, 'send_id', new.id,
      'campaign_id', null, 'contact_id', null));
  return null;
end
$$;

create trigger sends_fed after update of state on sends for each row
  when (new.state = 'sent' and old.state <> 'sent' and new.kind in ('transactional', 'confirmation', 'welcome'))
  execute function feed_sent();

-- Opens and clicks: the first of each contact and campaign that is not a machine's. The lock makes the
-- processes that store hits of one organization do so one after the other, so that one is the first.
create function feed_hits() returns trigger language plpgsql as $$
declare
  organization uuid;
  event_type text;
begin
  for organization, event_type in
    select distinct c.organization_id, t.type
      from added h join campaigns c on c.id = h.campaign_id
      cross join lateral (values (case h.kind when 'open' then 'email.opened' else 'email.clicked' end)) t (type)
     where h.contact_id is not null and not h.machine and is_fed(c.organization_id, array[t.type])
     order by 1, 2
  loop
    perform pg_advisory_xact_lock(8041, hashtext(organization::text));
    perform emit_events(organization, event_type, array(
      select jsonb_build_object('to', a.email, 'kind', 'campaign', 'subject', f.subject, 'send_id', null,
          'campaign_id', f.campaign_id, 'contact_id', f.contact_id)
          || case when event_type = 'email.clicked' then jsonb_build_object('url', l.url) else '{}' end
        from (
          select distinct on (h.campaign_id, h.contact_id) h.campaign_id, h.contact_id, h.link_index, c.subject
            from added h join campaigns c on c.id = h.campaign_id
           where c.organization_id = organization and h.contact_id is not null and not h.machine
             and h.kind = case event_type when 'email.opened' then 'open' else 'click' end
           order by h.campaign_id, h.contact_id, h.at, h.id
        ) f
        join contacts k on k.id = f.contact_id join addresses a on a.id = k.address_id and a.email is not null
        left join campaign_links l on l.campaign_id = f.campaign_id and l.link_index = f.link_index
       where not exists (
         select from tracking_hits o
          where o.campaign_id = f.campaign_id and o.contact_id = f.contact_id and not o.machine
            and o.kind = case event_type when 'email.opened' then 'open' else 'click' end
            and o.id not in (select id from added))
    ), now());
  end loop;
  return null;
end
$$;

create trigger tracking_hits_fed after insert on tracking_hits referencing new table as added
  for each statement execute function feed_hits();

-- As before, and what was sent is an event.
create or replace function settle_deliveries(
  of_campaign uuid, process uuid, contact_ids uuid[], address_ids uuid[], attempts int[], states text[], reasons text[],
  delays double precision[]
) returns int language plpgsql as $$
declare
  is_cancelled boolean;
  settled int;
  delivered uuid[];
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
      returning d.contact_id, b.old_state, b.new_state
  ), sums as (
    select count(*) as changed,
        count(*) filter (where new_state <> 'queued' and old_state <> 'uncertain') as finished,
        count(*) filter (where new_state = 'queued' and old_state = 'uncertain') as revived,
        count(*) filter (where old_state = 'uncertain') as settled_late,
        count(*) filter (where new_state = 'sent') as sent,
        array_agg(contact_id) filter (where new_state = 'sent') as sent_ids,
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
      returning s.changed, s.sent_ids
  )
  select c.changed, c.sent_ids into settled, delivered from counted c;
  if delivered is not null then
    perform feed_delivered(of_campaign, delivered);
  end if;
  return settled;
end
$$;
