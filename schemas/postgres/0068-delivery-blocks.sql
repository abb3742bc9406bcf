-- First attempts of a campaign are claimed and marked by block, not by row: the row of a delivery is
-- updated once, with its result. A delivery that belongs to a block has the state `claimed` and no
-- `claimed_by`; processes of earlier versions neither claim nor recover it. Retries, and deliveries
-- that earlier versions inserted as `queued`, are claimed row by row as before.

create table delivery_blocks (
  id uuid primary key default uuidv7(),
  campaign_id uuid not null references campaigns on delete cascade,
  -- The contacts of the block: after_contact < contact_id <= last_contact.
  after_contact uuid not null,
  last_contact uuid not null,
  -- The mail process that holds the block; null: it waits.
  claimed_by uuid,
  -- Extended by each mark. When it ends, what is marked and has no result is settled.
  lease_until timestamptz,
  -- Emails of contacts up to this one may have left. Null: none.
  marked_up_to uuid,
  marked_at timestamptz,
  -- Of those, the ones that the mail server is not known to have accepted.
  open_contacts uuid[] not null default '{}'
) with (fillfactor = 50);

-- `marked_up_to`, `lease_until` and `open_contacts` are in no index, so that a mark is a HOT update.
create index delivery_blocks_of_campaign on delivery_blocks (campaign_id, after_contact) where claimed_by is null;
create index delivery_blocks_held on delivery_blocks (campaign_id) where claimed_by is not null;

-- Rows in a block have no lease, and are many.
create index deliveries_held on deliveries (lease_until) where lease_until is not null;
drop index deliveries_leased;

-- The time of the last email decides when an unused address expires, and after a soft bounce that the
-- mailbox accepts emails again. It is exact for the latter, and up to 30 days old otherwise.
create function note_sent(address_ids uuid[]) returns void language plpgsql as $$
begin
  perform from addresses a
    where a.id = any(address_ids)
      and (greatest(a.last_sent_at, a.created_at) < now() - interval '30 days' or (a.soft_run > 0 and a.sent_since_soft_at is null))
    order by a.id for no key update;
  if not found then return; end if;
  update addresses a set last_sent_at = now()
    where a.id = any(address_ids)
      and (greatest(a.last_sent_at, a.created_at) < now() - interval '30 days' or (a.soft_run > 0 and a.sent_since_soft_at is null));
end
$$;

-- The number of emails that ended, and the rate as a campaign shows it.
create function count_delivery_ends(
  of_campaign uuid, waiting_less int, sent_more int, failed_more int, skipped_more int, uncertain_more int, cancelled_more int
) returns void language sql as $$
  update campaign_counts c set
      waiting = c.waiting - waiting_less,
      sent = c.sent + sent_more,
      failed = c.failed + failed_more,
      skipped = c.skipped + skipped_more,
      uncertain = c.uncertain + uncertain_more,
      cancelled = c.cancelled + cancelled_more,
      rate = case when c.rate_from < now() - interval '5 seconds'
        then (c.rate_count + waiting_less) / extract(epoch from now() - c.rate_from) else c.rate end,
      rate_count = case when c.rate_from < now() - interval '5 seconds' then 0 else c.rate_count + waiting_less end,
      rate_from = case when c.rate_from is null or c.rate_from < now() - interval '5 seconds' then now() else c.rate_from end
    where c.campaign_id = of_campaign
$$;

-- Why a contact gets no email now; null if there is no reason.
create function delivery_obstacle(
  contact_status text, email text, suppressed_at timestamptz, suppression_cause text
) returns text language sql immutable as $$
  select case
    when suppressed_at is not null then 'suppressed: ' || suppression_cause
    when contact_status is null or email is null then 'erased'
    when contact_status <> 'subscribed' then contact_status
  end
$$;

-- Skips those of the contacts that are still in the block, not marked, and must get no email. Returns
-- how many. The caller holds the lock of the block.
create function skip_of_block(of_campaign uuid, process uuid, contact_ids uuid[]) returns int language plpgsql as $$
declare
  skipped int;
begin
  perform from campaign_counts c where c.campaign_id = of_campaign for update;
  with obstacles as (
    select d.contact_id, delivery_obstacle(c.status, a.email, a.suppressed_at, a.suppression_cause) as obstacle
      from deliveries d left join contacts c on c.id = d.contact_id left join addresses a on a.id = d.address_id
      where d.campaign_id = of_campaign and d.contact_id = any(contact_ids) and d.state = 'claimed' and d.claimed_by is null
  ), changed as (
    update deliveries d set state = 'skipped', reason = o.obstacle, attempt = 1, claimed_by = process, finished_at = now()
      from obstacles o
      where d.campaign_id = of_campaign and d.contact_id = o.contact_id and o.obstacle is not null
        and d.state = 'claimed' and d.claimed_by is null
      returning 1
  )
  select count(*) into skipped from changed;
  perform count_delivery_ends(of_campaign, skipped, 0, 0, skipped, 0, 0);
  return skipped;
end
$$;

-- Claims the next block of a campaign, or its first `most` deliveries, and returns those that may be sent.
create function claim_delivery_block(of_campaign uuid, process uuid, lease_ms double precision, most int)
returns table (block_id uuid, contact_id uuid, address_id uuid, email text, name text, attribs jsonb) language plpgsql as $$
declare
  block delivery_blocks;
  ids uuid[];
  skipped uuid[];
begin
  loop
    select * into block from delivery_blocks b
      where b.campaign_id = of_campaign and b.claimed_by is null order by b.after_contact limit 1 for update skip locked;
    if not found then return; end if;
    ids := array(
      select d.contact_id from deliveries d
        where d.campaign_id = of_campaign and d.contact_id > block.after_contact and d.contact_id <= block.last_contact
          and d.state = 'claimed' and d.claimed_by is null
        order by d.contact_id limit most + 1);
    if cardinality(ids) > most then
      insert into delivery_blocks (campaign_id, after_contact, last_contact) values (of_campaign, ids[most], block.last_contact);
      ids := trim_array(ids, 1);
      update delivery_blocks b set claimed_by = process, lease_until = now() + lease_ms * interval '1 millisecond', last_contact = ids[most]
        where b.id = block.id;
    elsif cardinality(ids) > 0 then
      update delivery_blocks b set claimed_by = process, lease_until = now() + lease_ms * interval '1 millisecond' where b.id = block.id;
    else
      delete from delivery_blocks b where b.id = block.id;
      continue;
    end if;
    skipped := array(
      select d.contact_id from deliveries d left join contacts c on c.id = d.contact_id left join addresses a on a.id = d.address_id
        where d.campaign_id = of_campaign and d.contact_id = any(ids)
          and delivery_obstacle(c.status, a.email, a.suppressed_at, a.suppression_cause) is not null);
    if cardinality(skipped) > 0 then perform skip_of_block(of_campaign, process, skipped); end if;
    if cardinality(skipped) = cardinality(ids) then
      delete from delivery_blocks b where b.id = block.id;
      continue;
    end if;
    return query
      select block.id, d.contact_id, d.address_id, a.email, c.name, c.attribs
        from deliveries d join contacts c on c.id = d.contact_id join addresses a on a.id = d.address_id
        where d.campaign_id = of_campaign and d.contact_id = any(ids) and d.state = 'claimed'
        order by d.contact_id;
    return;
  end loop;
end
$$;

-- Skips the contacts that cannot be marked any more. Returns the ids of the others, in their order, or
-- null if the process no longer holds this part of the block, or the campaign is not sent now.
create function skip_unmarkable(block uuid, process uuid, contact_ids uuid[]) returns uuid[] language plpgsql as $$
declare
  of_campaign uuid;
begin
  select b.campaign_id into of_campaign from delivery_blocks b
    where b.id = block and b.claimed_by = process and coalesce(b.marked_up_to, b.after_contact) < all(contact_ids)
      and b.last_contact >= all(contact_ids)
    for update;
  if not found or not exists (select from campaigns c where c.id = of_campaign and c.state = 'sending') then return null; end if;
  perform skip_of_block(of_campaign, process, contact_ids);
  return array(
    select d.contact_id from deliveries d
      where d.campaign_id = of_campaign and d.contact_id = any(contact_ids) and d.state = 'claimed' and d.claimed_by is null
      order by d.contact_id);
end
$$;

-- Lets others claim what is not marked. Returns up to which contact the process has marked the block; null: it has
-- marked none, or does not hold the block.
create function release_delivery_block(block uuid, process uuid) returns uuid language plpgsql as $$
declare
  held delivery_blocks;
begin
  select * into held from delivery_blocks b where b.id = block and b.claimed_by = process for update;
  if not found then return null; end if;
  if held.marked_up_to is null then
    update delivery_blocks b set claimed_by = null, lease_until = null where b.id = block;
  elsif held.marked_up_to < held.last_contact then
    insert into delivery_blocks (campaign_id, after_contact, last_contact)
      values (held.campaign_id, held.marked_up_to, held.last_contact);
    update delivery_blocks b set last_contact = b.marked_up_to where b.id = block;
  end if;
  return held.marked_up_to;
end
$$;

-- Emails of a block that wait for a time, because their domain defers emails.
create function defer_of_block(block uuid, process uuid, contact_ids uuid[], delays double precision[]) returns void language plpgsql as $$
declare
  of_campaign uuid;
begin
  select b.campaign_id into of_campaign from delivery_blocks b
    where b.id = block and b.claimed_by = process and b.marked_up_to is null for update;
  if not found then return; end if;
  update deliveries d set state = 'queued', attempt = 1, claimed_by = process, not_before = now() + r.delay * interval '1 second'
    from unnest(contact_ids, delays) r (contact_id, delay)
    where d.campaign_id = of_campaign and d.contact_id = r.contact_id and d.state = 'claimed' and d.claimed_by is null;
end
$$;

-- Deletes blocks whose deliveries all have a result. One that has not stays until its lease ends.
create function finish_delivery_blocks(blocks uuid[], process uuid) returns int language sql as $$
  with gone as (
    delete from delivery_blocks b
      where b.id = any(blocks) and b.claimed_by = process and not exists (
        select from deliveries d
          where d.campaign_id = b.campaign_id and d.contact_id > b.after_contact and d.contact_id <= b.last_contact
            and d.state = 'claimed' and d.claimed_by is null)
      returning 1
  )
  select count(*)::int from gone
$$;

-- Emails of blocks that the mail server accepted at their first attempt: one update of each row. Returns how many
-- were stored; the others have been recovered meanwhile, and `settle_deliveries_with_attempts` settles them.
create function settle_accepted_deliveries(
  of_campaign uuid, process uuid, contact_ids uuid[], address_ids uuid[], marked_ats timestamptz[], entries jsonb[]
) returns int language plpgsql as $$
declare
  settled int;
  delivered uuid[];
begin
  perform note_sent(address_ids);
  perform from campaign_counts c where c.campaign_id = of_campaign for update;
  with changed as (
    update deliveries d set state = 'sent', attempt = 1, tries = 1, claimed_by = process, handed_over_at = r.marked_at,
        finished_at = now(), attempt_log = jsonb_build_array(r.entry)
      from unnest(contact_ids, marked_ats, entries) r (contact_id, marked_at, entry)
      where d.campaign_id = of_campaign and d.contact_id = r.contact_id and d.state = 'claimed' and d.claimed_by is null
      returning d.contact_id
  )
  select count(*), array_agg(contact_id) into settled, delivered from changed;
  perform count_delivery_ends(of_campaign, settled, settled, 0, 0, 0, 0);
  if settled > 0 then perform feed_delivered(of_campaign, delivered); end if;
  return settled;
end
$$;

-- As before, and of the deliveries in blocks also those that have no claim of their own: their first attempt is number 1.
create or replace function settle_deliveries_with_attempts(
  of_campaign uuid, process uuid, contact_ids uuid[], address_ids uuid[], attempts int[], states text[], reasons text[],
  delays double precision[], entries jsonb[]
) returns int language plpgsql as $$
declare
  is_cancelled boolean;
  settled int;
  delivered uuid[];
begin
  perform note_sent(array(select r.address_id from unnest(address_ids, states) r (address_id, state) where r.state = 'sent'));
  perform from campaign_counts c where c.campaign_id = of_campaign for update;
  select c.state = 'cancelled' into is_cancelled from campaigns c where c.id = of_campaign;

  with before as (
    select d.contact_id, d.state as old_state, d.claimed_by is null as in_block, r.attempt, r.state as result, r.reason, r.delay, r.entry,
        case when r.state not in ('queued', 'released') then r.state when is_cancelled then 'cancelled' else 'queued' end as new_state
      from unnest(contact_ids, attempts, states, reasons, delays, entries) r (contact_id, attempt, state, reason, delay, entry)
        join deliveries d on d.campaign_id = of_campaign and d.contact_id = r.contact_id
      where (d.attempt = r.attempt and d.claimed_by = process and d.state in ('claimed', 'handed_over', 'uncertain'))
        or (d.attempt = 0 and r.attempt = 1 and d.claimed_by is null and d.state = 'claimed')
      for update of d
  ), changed as (
    update deliveries d set state = b.new_state, reason = b.reason, lease_until = null, attempt_log = add_attempt(d.attempt_log, b.entry),
        attempt = b.attempt, claimed_by = process,
        tries = case when not b.in_block then d.tries - case when b.result = 'released' and b.old_state <> 'claimed' then 1 else 0 end
          when b.result in ('released', 'skipped') then 0 else 1 end,
        handed_over_at = case when b.in_block and b.result not in ('released', 'skipped') then now() else d.handed_over_at end,
        not_before = case when b.new_state = 'queued' then now() + b.delay * interval '1 second' end,
        finished_at = case when b.new_state = 'queued' then null else now() end
      from before b where d.campaign_id = of_campaign and d.contact_id = b.contact_id
      returning d.contact_id, b.old_state, b.new_state
  ), sums as (
    select count(*)::int as changed,
        (count(*) filter (where new_state <> 'queued' and old_state <> 'uncertain'))::int as finished,
        (count(*) filter (where new_state = 'queued' and old_state = 'uncertain'))::int as revived,
        (count(*) filter (where old_state = 'uncertain'))::int as settled_late,
        (count(*) filter (where new_state = 'sent'))::int as sent,
        array_agg(contact_id) filter (where new_state = 'sent') as sent_ids,
        (count(*) filter (where new_state = 'failed'))::int as failed,
        (count(*) filter (where new_state = 'skipped'))::int as skipped,
        (count(*) filter (where new_state = 'uncertain'))::int as uncertain,
        (count(*) filter (where new_state = 'cancelled'))::int as cancelled
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

-- Of a block whose process is lost, or whose lease has ended, others may claim
-- what is not marked, at once. What is marked waits for the end of the lease, because the process may still
-- run: emails that the mail server is known to have accepted are sent, the others are uncertain.
create function recover_delivery_blocks() returns table (campaign_id uuid, requeued int, uncertain int) language plpgsql as $$
declare
  dead uuid[];
  block delivery_blocks;
  accepted int;
  accepted_ids uuid[];
  addresses_of uuid[];
begin
  dead := array(
    select h.claimed_by from (select distinct b.claimed_by from delivery_blocks b where b.claimed_by is not null) h
      where not is_mail_process_alive(h.claimed_by));
  for block in
    select * from delivery_blocks b
      where b.claimed_by is not null and (b.lease_until < now()
        or (b.claimed_by = any(dead) and b.marked_up_to is distinct from b.last_contact))
      order by b.id limit 1000 for update skip locked
  loop
    recover_delivery_blocks.campaign_id := block.campaign_id;
    recover_delivery_blocks.uncertain := 0;
    select count(*) into recover_delivery_blocks.requeued from deliveries d
      where d.campaign_id = block.campaign_id and d.contact_id > coalesce(block.marked_up_to, block.after_contact)
        and d.contact_id <= block.last_contact and d.state = 'claimed' and d.claimed_by is null;
    perform release_delivery_block(block.id, block.claimed_by);
    if block.marked_up_to is not null and block.lease_until < now() then
      addresses_of := array(
        select d.address_id from deliveries d
          where d.campaign_id = block.campaign_id and d.contact_id > block.after_contact and d.contact_id <= block.marked_up_to
            and d.state = 'claimed' and d.claimed_by is null and d.contact_id <> all(block.open_contacts));
      perform note_sent(addresses_of);
      perform from campaign_counts c where c.campaign_id = block.campaign_id for update;
      with changed as (
        update deliveries d set attempt = 1, tries = 1, claimed_by = block.claimed_by, handed_over_at = block.marked_at, finished_at = now(),
            state = case when d.contact_id = any(block.open_contacts) then 'uncertain' else 'sent' end,
            reason = case when d.contact_id = any(block.open_contacts) then 'process_lost' end
          where d.campaign_id = block.campaign_id and d.contact_id > block.after_contact and d.contact_id <= block.marked_up_to
            and d.state = 'claimed' and d.claimed_by is null
          returning d.contact_id, d.state
      )
      select count(*) filter (where c.state = 'uncertain'), count(*) filter (where c.state = 'sent'),
          array_agg(c.contact_id) filter (where c.state = 'sent')
        into recover_delivery_blocks.uncertain, accepted, accepted_ids from changed c;
      perform count_delivery_ends(block.campaign_id, recover_delivery_blocks.uncertain + accepted, accepted, 0, 0,
        recover_delivery_blocks.uncertain, 0);
      if accepted > 0 then perform feed_delivered(block.campaign_id, accepted_ids); end if;
      delete from delivery_blocks b where b.id = block.id;
    end if;
    return next;
  end loop;
end
$$;

-- Single rows, as before.
create function recover_delivery_rows() returns table (campaign_id uuid, requeued int, uncertain int) language plpgsql as $$
declare
  dead uuid[];
begin
  select array_agg(h.claimed_by) into dead from (
      select distinct d.claimed_by from deliveries d where d.lease_until is not null and d.state = 'claimed' and d.claimed_by is not null
    ) h where not is_mail_process_alive(h.claimed_by);
  for recover_delivery_rows.campaign_id in
    select distinct d.campaign_id from deliveries d
      where d.lease_until is not null and d.state in ('claimed', 'handed_over')
        and (d.lease_until < now() or (d.state = 'claimed' and d.claimed_by = any(dead)))
      order by 1
  loop
    perform from campaign_counts c where c.campaign_id = recover_delivery_rows.campaign_id for update;
    with expired as (
      select d.contact_id, d.state as old_state, c.state = 'cancelled' as is_cancelled
        from deliveries d join campaigns c on c.id = d.campaign_id
        where d.campaign_id = recover_delivery_rows.campaign_id and d.lease_until is not null and d.state in ('claimed', 'handed_over')
          and (d.lease_until < now() or (d.state = 'claimed' and d.claimed_by = any(dead)))
        limit 10000
        for update of d skip locked
    ), changed as (
      update deliveries d set lease_until = null,
          state = case when e.old_state = 'handed_over' then 'uncertain' when e.is_cancelled then 'cancelled' else 'queued' end,
          reason = case when e.old_state = 'handed_over' then 'process_lost' end,
          finished_at = case when e.old_state = 'handed_over' or e.is_cancelled then now() end
        from expired e where d.campaign_id = recover_delivery_rows.campaign_id and d.contact_id = e.contact_id
        returning d.state
    ), sums as (
      select count(*) filter (where s.state = 'queued') as requeued, count(*) filter (where s.state = 'uncertain') as uncertain,
          count(*) filter (where s.state = 'cancelled') as cancelled
        from changed s
    ), counted as (
      update campaign_counts c set waiting = c.waiting - s.uncertain - s.cancelled, uncertain = c.uncertain + s.uncertain,
          cancelled = c.cancelled + s.cancelled
        from sums s where c.campaign_id = recover_delivery_rows.campaign_id
        returning s.requeued, s.uncertain
    )
    select n.requeued, n.uncertain into recover_delivery_rows.requeued, recover_delivery_rows.uncertain from counted n;
    return next;
  end loop;
end
$$;

-- Processes of earlier versions call it, too.
create or replace function recover_deliveries() returns table (campaign_id uuid, requeued int, uncertain int) language sql as $$
  select campaign_id, requeued, uncertain from recover_delivery_rows()
  union all
  select campaign_id, requeued, uncertain from recover_delivery_blocks()
$$;

-- As before, and what is in blocks that no process holds. A process releases its blocks when it marks the next email.
create or replace function cancel_deliveries(of_campaign uuid, most int) returns int language plpgsql as $$
declare
  done int;
  ended int;
  block delivery_blocks;
begin
  perform from campaign_counts c where c.campaign_id = of_campaign for update;
  with waiting as (
    select d.contact_id from deliveries d where d.campaign_id = of_campaign and d.state = 'queued' limit most for update
  ), changed as (
    update deliveries d set state = 'cancelled', finished_at = now(), not_before = null
      from waiting w where d.campaign_id = of_campaign and d.contact_id = w.contact_id returning 1
  )
  select count(*) into done from changed;
  while done < most loop
    delete from delivery_blocks where id = (
      select b.id from delivery_blocks b
        where b.campaign_id = of_campaign and b.claimed_by is null order by b.after_contact limit 1 for update skip locked)
      returning * into block;
    exit when not found;
    update deliveries d set state = 'cancelled', finished_at = now(), attempt = 1
      where d.campaign_id = of_campaign and d.contact_id > block.after_contact and d.contact_id <= block.last_contact
        and d.state = 'claimed' and d.claimed_by is null;
    get diagnostics ended = row_count;
    done := done + ended;
  end loop;
  update campaign_counts c set waiting = c.waiting - done, cancelled = c.cancelled + done where c.campaign_id = of_campaign;
  return done;
end
$$;
