-- Quota, charged per event and exact across all ingest processes. A process leases a block of units, charges
-- from it in memory and gives back what is left; every record on the bus names the lease it was charged to.

alter table projects
  -- Events a month (UTC); null is without limit.
  add column monthly_events bigint check (monthly_events >= 0),
  -- Spike limit: events a minute; null is without limit.
  add column events_per_minute int check (events_per_minute > 0),
  -- Brake: of an issue above this rate only a sample of its events is stored, all are counted; null never samples.
  add column issue_events_per_minute int check (issue_events_per_minute > 0);

alter table dsn_keys add column events_per_minute int check (events_per_minute > 0);

create table quota_usage (
  project_id bigint not null references projects (dsn_id) on delete cascade,
  -- First day of the month.
  period date not null,
  -- Units handed out in leases and not given back: never above the limit, and equal to the events accepted once
  -- all leases are closed and all records digested.
  used bigint not null default 0 check (used >= 0),
  primary key (project_id, period)
);

create table quota_leases (
  lease_no bigint generated always as identity primary key,
  project_id bigint not null references projects (dsn_id) on delete cascade,
  period date not null,
  -- The ingest process, by the boot id its frames carry.
  boot_id uuid not null,
  -- Counts up in the process, so that a grant whose answer was lost is not made twice.
  request_no bigint not null,
  -- As granted; once closed, what was charged.
  units int not null check (units >= 0),
  -- Records charged to the lease that workers have committed, accepted or not.
  seen int not null default 0,
  -- open: its process charges from it, and its unspent units count as used.
  -- closed: its process has given the rest back; records charged to it may still be on the log.
  -- settled: its process is dead and nothing of it can come any more; a record that does come is charged anew.
  state text not null default 'open' check (state in ('open', 'closed', 'settled')),
  granted_at timestamptz not null default now(),
  unique (boot_id, request_no)
);

create index quota_leases_by_time on quota_leases (granted_at) where state <> 'open';

-- Spike and key limits: one row for each minute in which something was granted. Blocks of a minute end with it.
create table quota_minutes (
  scope text not null check (scope in ('project', 'key')),
  -- projects.dsn_id or dsn_keys.key_no.
  scope_id bigint not null,
  minute timestamptz not null,
  used int not null,
  primary key (scope, scope_id, minute)
);

-- Who was told what: one mail for each threshold of a period.
create table quota_warnings (
  project_id bigint not null references projects (dsn_id) on delete cascade,
  period date not null,
  percent int not null,
  at timestamptz not null default now(),
  primary key (project_id, period, percent)
);

-- Functions rather than statements from outside, because each takes several steps under one lock and must cost one round
-- trip. All lock in one order: the boot, leases by number, then quota_usage by project and period.

-- How many units a request gets: what waits for them; beyond that a small part of what remains for each process that may
-- ask, so that near the limit no process sits on units that another has use for.
create function quota_block(needed int, wanted int, remaining bigint, live_boots bigint) returns int
language sql immutable as $$
  select greatest(0, least(remaining, greatest(needed, least(wanted, ceil(remaining / (4.0 * live_boots))))))::int
$$;

create function live_boots() returns bigint language plpgsql stable as $$
begin
  return (
    select greatest(1, count(*)) from ingest_boots
     where settled_at is null and seen_at > now() - interval '15 seconds'
  );
end
$$;

-- Tells of a threshold once a period, with one letter for the highest of those that were passed together.
create function announce_quota(project bigint, month date, reached int) returns void language plpgsql as $$
begin
  if exists (
    select from quota_warnings w where w.project_id = project and w.period = month and w.percent = reached
  ) then
    return;
  end if;
  insert into quota_warnings (project_id, period, percent) values (project, month, reached);
  insert into quota_warnings (project_id, period, percent)
    select project, month, lower from unnest(array[50, 80, 100]) lower where lower < reached
    on conflict do nothing;
  if exists (
    select from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname = 'graphile_worker' and p.proname = 'add_job'
  ) then
    perform graphile_worker.add_job(
      'quota_warning',
      json_build_object('project_id', project, 'period', to_char(month, 'YYYY-MM-DD'), 'percent', reached)
    );
  end if;
exception when others then
  -- No event is refused because a letter could not be enqueued; the next grant tries again.
  raise warning 'quota warning of project % was not enqueued: %', project, sqlerrm;
end
$$;

create function grant_quota(
  boot uuid, request_nos bigint[], project_ids bigint[], periods date[], needed int[], wanted int[]
) returns table (
  request_no bigint, lease_no bigint, units int,
  monthly_events bigint, events_per_minute int, key_limits jsonb
) language plpgsql as $$
-- Columns before variables: those of the result have the names of columns.
#variable_conflict use_column
declare
  boots constant bigint := live_boots();
  asked record;
  project record;
  earlier record;
  used_now bigint;
  block int;
  granted_no bigint;
  is_settled boolean;
  thresholds constant int[] := array[100, 80, 50];
  threshold int;
begin
  -- A statement of a process that has died may still run. Once the boot is settled nobody would give back what it takes.
  -- The row is made here too, as of a boot that is silent: without one it could neither be settled nor be locked.
  insert into ingest_boots (boot_id, seen_at) values (boot, now() - interval '1 minute') on conflict do nothing;
  select b.settled_at is not null into is_settled from ingest_boots b where b.boot_id = boot for key share;
  for asked in
    select * from unnest(request_nos, project_ids, periods, needed, wanted)
      as r (no, project_id, period, needed, wanted) order by project_id, period, no
  loop
    granted_no := 0;
    block := 0;
    insert into quota_usage (project_id, period)
      select dsn_id, asked.period from projects where dsn_id = asked.project_id
      on conflict do nothing;
    select u.used into used_now from quota_usage u
     where u.project_id = asked.project_id and u.period = asked.period for update;
    -- After the lock, so that a limit that was changed meanwhile is seen.
    select p.monthly_events, p.events_per_minute, (
             select jsonb_object_agg(k.key_no, k.events_per_minute) from dsn_keys k
              where k.project_id = p.id and k.events_per_minute is not null
           ) as key_limits
      into project from projects p where p.dsn_id = asked.project_id;
    if not found then
      return query select asked.no, 0::bigint, 0, 0::bigint, null::int, null::jsonb;
      continue;
    end if;
    select l.lease_no, l.units, l.state into earlier from quota_leases l
     where l.boot_id = boot and l.request_no = asked.no;
    if found then
      if earlier.state = 'open' then
        granted_no := earlier.lease_no;
        block := earlier.units;
      end if;
    elsif is_settled is not true then
      block := case when project.monthly_events is null then greatest(asked.needed, asked.wanted)
                    else quota_block(asked.needed, asked.wanted, project.monthly_events - used_now, boots) end;
      if block > 0 then
        used_now := used_now + block;
        update quota_usage u set used = used_now
         where u.project_id = asked.project_id and u.period = asked.period;
        insert into quota_leases as l (project_id, period, boot_id, request_no, units)
          values (asked.project_id, asked.period, boot, asked.no, block)
          returning l.lease_no into granted_no;
      end if;
    end if;
    if project.monthly_events > 0 then
      foreach threshold in array thresholds loop
        if used_now * 100 >= project.monthly_events * threshold then
          perform announce_quota(asked.project_id, asked.period, threshold);
          exit;
        end if;
      end loop;
    end if;
    return query select asked.no, granted_no, block,
      project.monthly_events, project.events_per_minute, project.key_limits;
  end loop;
end
$$;

create function give_back_quota(boot uuid, lease_nos bigint[], charges int[]) returns void language plpgsql as $$
begin
  perform from quota_leases l
    where l.lease_no = any(lease_nos) and l.boot_id = boot and l.state = 'open' order by l.lease_no for update;
  perform from quota_usage u
    where (u.project_id, u.period) in (
      select l.project_id, l.period from quota_leases l
       where l.lease_no = any(lease_nos) and l.boot_id = boot and l.state = 'open'
    ) order by u.project_id, u.period for update;
  update quota_usage u set used = u.used - rest.units from (
      select l.project_id, l.period, sum(l.units - r.charged) as units
        from quota_leases l join unnest(lease_nos, charges) as r (lease_no, charged) using (lease_no)
       where l.boot_id = boot and l.state = 'open' group by 1, 2
    ) rest
    where u.project_id = rest.project_id and u.period = rest.period;
  update quota_leases l set state = 'closed', units = r.charged
    from unnest(lease_nos, charges) as r (lease_no, charged)
    where l.lease_no = r.lease_no and l.boot_id = boot and l.state = 'open';
end
$$;

-- Also of closed leases: a process that dies takes records with it that were charged and had not reached its log.
create function settle_boot(boot uuid) returns void language plpgsql as $$
begin
  insert into ingest_boots (boot_id) values (boot) on conflict do nothing;
  perform from ingest_boots b where b.boot_id = boot for update;
  perform from quota_leases l where l.boot_id = boot and l.state <> 'settled' order by l.lease_no for update;
  perform from quota_usage u
    where (u.project_id, u.period) in (
      select l.project_id, l.period from quota_leases l where l.boot_id = boot and l.state <> 'settled'
    ) order by u.project_id, u.period for update;
  update quota_usage u set used = u.used - rest.units from (
      select l.project_id, l.period, sum(l.units - l.seen) as units
        from quota_leases l where l.boot_id = boot and l.state <> 'settled' group by 1, 2
    ) rest
    where u.project_id = rest.project_id and u.period = rest.period;
  update quota_leases set state = 'settled' where boot_id = boot and state <> 'settled';
  update ingest_boots set settled_at = now() where boot_id = boot and settled_at is null;
end
$$;

create function grant_minutes(
  scopes text[], scope_ids bigint[], minutes timestamptz[], needed int[], wanted int[]
) returns table (request_no bigint, units int, per_minute int) language plpgsql as $$
#variable_conflict use_column
declare
  boots constant bigint := live_boots();
  asked record;
  minute_limit int;
  used_now int;
  block int;
begin
  for asked in
    select * from unnest(scopes, scope_ids, minutes, needed, wanted) with ordinality
      as r (scope, scope_id, minute, needed, wanted, no) order by scope, scope_id, minute, no
  loop
    if asked.scope = 'project' then
      select p.events_per_minute into minute_limit from projects p where p.dsn_id = asked.scope_id;
    else
      select k.events_per_minute into minute_limit from dsn_keys k where k.key_no = asked.scope_id;
    end if;
    block := 0;
    if minute_limit is not null then
      insert into quota_minutes (scope, scope_id, minute, used)
        values (asked.scope, asked.scope_id, asked.minute, 0) on conflict do nothing;
      select m.used into used_now from quota_minutes m
       where m.scope = asked.scope and m.scope_id = asked.scope_id and m.minute = asked.minute for update;
      block := quota_block(asked.needed, asked.wanted, minute_limit - used_now, boots);
      update quota_minutes m set used = m.used + block
       where m.scope = asked.scope and m.scope_id = asked.scope_id and m.minute = asked.minute and block > 0;
    end if;
    return query select asked.no, block, minute_limit;
  end loop;
end
$$;

-- What no record and no request can come for any more: minutes that are over, and leases that were seen whole.
create function forget_quota(before timestamptz) returns void language plpgsql as $$
begin
  delete from quota_minutes where minute < before;
  delete from quota_leases where lease_no in (
    select lease_no from quota_leases
     where granted_at < least(before, now() - interval '1 hour')
       and (state = 'settled' or state = 'closed' and seen = units)
     limit 100000 for update skip locked
  );
end
$$;
