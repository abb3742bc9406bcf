-- Alert rules, what fired, and what was delivered where.

create table alert_rules (
  id uuid primary key,
  project_id bigint not null references projects (dsn_id) on delete cascade,
  name text not null,
  enabled boolean not null default true,
  -- {"when", "if", "quiet_hours"} as in schemas/rest/alert.ts. Targets are rows of their own.
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
  -- As `contact.subscribed`; schemas/rest/webhook.ts has the list.
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
create index notification_deliveries_by_target on notification_deliveries (target_id, next_attempt_at);
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
-- rule.
alter table projects add column alert_rules_version bigint;

create function count_rule_changes() returns trigger language plpgsql as $$
begin
  update projects set alert_rules_version = coalesce(alert_rules_version, 0) + 1
   where dsn_id = coalesce(new.project_id, old.project_id);
  return null;
end $$;

create trigger rule_changes_counted after insert or delete or update of conditions, enabled on alert_rules
  for each row execute function count_rule_changes();

-- Wakes the jobs that send what waits in alert_firings. Part of the transaction that inserted it. In
-- order, because a waiting job is one row that concurrent transactions change.
create function wake_rules(rules uuid[]) returns void language plpgsql as $$
begin
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
