-- What a token opens, who may log in how often, and which emails hold a secret.

-- The text of an email that holds a one-time link, sealed under SLUICE_SECRET: purpose `email body`, place the row's id. `text` is
-- empty and `html` is null then. Erased as soon as the email is finished.
alter table sends add column sealed_body bytea;

update sends set text = '', html = null
  where kind in ('confirmation', 'system') and state in ('sent', 'failed', 'skipped', 'cancelled');

-- A request to export or erase what is stored about a subscriber, confirmed by a link in an email to the mailbox.
create table data_requests (
  token_hash bytea primary key,
  address_id uuid not null references addresses on delete cascade,
  purpose text not null check (purpose in ('export', 'erase')),
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);

create index data_requests_of_address on data_requests (address_id);
create index data_requests_by_end on data_requests (expires_at);

-- The person who created a token or key; null: the command line, or a person who is gone.
alter table access_tokens add column created_by uuid references people on delete set null;
alter table api_keys add column created_by uuid references people on delete set null;
create index access_tokens_by_creator on access_tokens (created_by) where created_by is not null;
create index api_keys_by_creator on api_keys (created_by) where created_by is not null;

update access_tokens t set created_by = a.person_id from audit_log a
  where a.action = 'token.created' and a.subject_id = t.id::text and a.organization_id = t.organization_id and a.person_id is not null;
update api_keys k set created_by = a.person_id from audit_log a
  where a.action = 'api_key.created' and a.subject_id = k.id::text and a.organization_id = k.organization_id and a.person_id is not null;

-- Networks from which a person has logged in. Failures elsewhere do not delay a login from one of these.
create table login_networks (
  person_id uuid not null references people on delete cascade,
  -- An IPv4 address, a /64 of IPv6, or the hash of what a proxy forwarded.
  network text not null,
  last_login_at timestamptz not null,
  primary key (person_id, network)
);

insert into login_networks (person_id, network, last_login_at)
  select person_id, regexp_replace(ip, '^::ffff:', ''), max(created_at) from logins
    where ip ~ '^(::ffff:)?[0-9]{1,3}(\.[0-9]{1,3}){3}$' group by 1, 2;

-- Counts one attempt in each bucket, or in none when one of them has to wait. A bucket of rate_windows holds its attempts here; from
-- the `free`th on each one is followed by a delay that doubles up to its maximum. Where `with_first` is true, only an attempt that
-- finds the first bucket empty counts: several failures of one client are then one of its network. Buckets must come sorted, as in
-- take_hits. The result is when each bucket is free again (null: it has nothing to wait for), and whether the attempt counted there.
create function take_delayed_hits(
  buckets text[], free int[], with_first boolean[], first_delays interval[], longest_delays interval[], window_length interval,
  now_at timestamptz
) returns table (bucket text, waits_until timestamptz, counted boolean) language plpgsql as $$
declare
  -- More attempts than any delay needs to reach its maximum.
  hits_kept constant int := 64;
  kept timestamptz[];
  ends timestamptz;
  delay interval;
  is_first boolean;
  room_everywhere boolean := true;
begin
  for i in 1 .. cardinality(buckets) loop
    -- A row that a sweeper takes away between the two statements is inserted again.
    loop
      insert into rate_windows as w values (buckets[i], '{}', now_at) on conflict do nothing;
      perform from rate_windows w where w.bucket = buckets[i] for update;
      exit when found;
    end loop;
  end loop;

  for i in 1 .. cardinality(buckets) loop
    select case when w.expires_at <= now_at then '{}' else w.hits end into kept from rate_windows w where w.bucket = buckets[i];
    ends := null;
    if cardinality(kept) >= free[i] then
      delay := least(longest_delays[i], first_delays[i] * power(2, least(cardinality(kept) - free[i], 30)));
      ends := kept[cardinality(kept)] + delay;
    end if;
    is_first := case when i = 1 then cardinality(kept) = 0 else is_first end;
    bucket := buckets[i];
    counted := is_first or not with_first[i];
    waits_until := case when now_at < ends then ends end;
    room_everywhere := room_everywhere and waits_until is null;
    return next;
  end loop;

  if not room_everywhere then return; end if;
  for i in 1 .. cardinality(buckets) loop
    continue when with_first[i] and not is_first;
    update rate_windows w
      set hits = (case when w.expires_at <= now_at then '{}' else w.hits end)[greatest(1, cardinality(w.hits) - hits_kept + 2):] || now_at,
          expires_at = now_at + window_length + longest_delays[i]
      where w.bucket = buckets[i];
  end loop;
end
$$;
