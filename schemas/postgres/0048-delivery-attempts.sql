-- What each attempt to deliver an email ended with, and the reply of the mail server: the newest ten attempts, oldest first
-- (schemas/mail/delivery-attempt.ts). Null: not tried, or tried only by a version that kept none.

alter table sends add column attempt_log jsonb;
alter table deliveries add column attempt_log jsonb;

create function add_attempt(log jsonb, entry jsonb) returns jsonb language sql immutable as $$
  select case when entry is null then log when log is null then jsonb_build_array(entry)
    else jsonb_path_query_array(log || jsonb_build_array(entry), '$[last - 9 to last]') end
$$;

-- As settle_deliveries, and each result brings its attempt; an entry that is null adds none.
create function settle_deliveries_with_attempts(
  of_campaign uuid, process uuid, contact_ids uuid[], address_ids uuid[], attempts int[], states text[], reasons text[],
  delays double precision[], entries jsonb[]
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
    select d.contact_id, d.state as old_state, r.state as result, r.reason, r.delay, r.entry,
        case when r.state not in ('queued', 'released') then r.state when is_cancelled then 'cancelled' else 'queued' end as new_state
      from unnest(contact_ids, attempts, states, reasons, delays, entries) r (contact_id, attempt, state, reason, delay, entry)
        join deliveries d on d.campaign_id = of_campaign and d.contact_id = r.contact_id and d.attempt = r.attempt
      where d.claimed_by = process and d.state in ('claimed', 'handed_over', 'uncertain')
      for update of d
  ), changed as (
    update deliveries d set state = b.new_state, reason = b.reason, lease_until = null, attempt_log = add_attempt(d.attempt_log, b.entry),
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

-- For processes that were started before this migration.
create or replace function settle_deliveries(
  of_campaign uuid, process uuid, contact_ids uuid[], address_ids uuid[], attempts int[], states text[], reasons text[],
  delays double precision[]
) returns int language sql as $$
  select settle_deliveries_with_attempts(
    of_campaign, process, contact_ids, address_ids, attempts, states, reasons, delays, null::jsonb[])
$$;
