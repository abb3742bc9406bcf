-- Exact sliding windows that all API processes share, and the replies that a repeated Idempotency-Key gets again.

create table rate_windows (
  -- Whose window, as in `signup:<organization>:<ip>`.
  bucket text primary key,
  -- When each hit of the window was, the oldest first; never more than the window's maximum.
  hits timestamptz[] not null,
  -- When the last hit leaves the window: the row may go then.
  expires_at timestamptz not null
);

create index rate_windows_expired on rate_windows (expires_at);

-- Takes one hit of each window, or none of any; the rows stay locked until the transaction ends. Buckets must come sorted, so
-- that two callers who share several of them never wait for each other in a circle. Of each window: whether it had room, how
-- many hits it holds now, and when its next hit leaves it.
create function take_hits(buckets text[], maxima int[], lengths interval[], now_at timestamptz)
returns table (bucket text, room boolean, hit_count int, leaves_at timestamptz) language plpgsql as $$
declare
  kept timestamptz[];
  room_everywhere boolean := true;
begin
  for i in 1 .. cardinality(buckets) loop
    -- A row that a sweeper takes away between the two statements is made again.
    loop
      insert into rate_windows as w values (buckets[i], '{}', now_at) on conflict do nothing;
      perform from rate_windows w where w.bucket = buckets[i] for update;
      exit when found;
    end loop;
  end loop;

  for i in 1 .. cardinality(buckets) loop
    select coalesce(array_agg(hit order by hit), '{}') into kept
      from rate_windows w, unnest(w.hits) hit
      where w.bucket = buckets[i] and now_at < hit + lengths[i];
    room := cardinality(kept) < maxima[i];
    room_everywhere := room_everywhere and room;
  end loop;

  for i in 1 .. cardinality(buckets) loop
    select coalesce(array_agg(hit order by hit), '{}') into kept
      from rate_windows w, unnest(w.hits) hit
      where w.bucket = buckets[i] and now_at < hit + lengths[i];
    room := cardinality(kept) < maxima[i];
    if room_everywhere then
      -- Clocks of two processes differ: the log stays in order all the same.
      kept := kept || greatest(now_at, kept[cardinality(kept)]);
      update rate_windows w set hits = kept, expires_at = kept[cardinality(kept)] + lengths[i]
        where w.bucket = buckets[i];
    end if;
    bucket := buckets[i];
    hit_count := cardinality(kept);
    leaves_at := kept[greatest(1, hit_count - maxima[i] + 1)] + lengths[i];
    return next;
  end loop;
end
$$;

create table idempotency_keys (
  organization_id uuid not null references organizations on delete cascade,
  -- Of the API key: two keys of one organization do not share.
  api_key_id uuid not null,
  -- SHA-256 of method, route and the header's value.
  key_hash bytea not null,
  -- SHA-256 of the canonical body.
  body_hash bytea not null,
  -- Written in the transaction of the request's own work: a key stands here only with what it did.
  status int not null,
  reply jsonb not null,
  created_at timestamptz not null default now(),
  primary key (api_key_id, key_hash)
);

create index idempotency_keys_by_time on idempotency_keys (created_at);
