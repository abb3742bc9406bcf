-- Keys that two words share if they differ by one typing error (a character added, missing, replaced or swapped): the
-- words, and the words without one of their characters. Shorter words would share keys with too many others, and longer ones are rare.
-- A search looks the keys up in the index, at the cost of its matches, whereas trigrams read all titles that share the common ones.
create function typo_keys(sounds text) returns text[] language plpgsql immutable parallel safe strict cost 1000 as $$
declare
  word text;
  keys text[] := '{}';
begin
  foreach word in array (string_to_array(sounds, ' '))[:20] loop
    keys := keys || word;
    if length(word) between 4 and 24 then
      for at in 1..length(word) loop
        keys := keys || (left(word, at - 1) || substr(word, at + 1));
      end loop;
    end if;
  end loop;
  return keys;
end
$$;

create index ideas_typos on ideas using gin (project_id, typo_keys(title_sounds)) where moderation = 'published';

-- Ingest processes keep leases of projects that are far from their limits for up to a minute, and are told of changed limits by the
-- number of the project. They are told in the same way when a grant leaves few units (ingest/quota/postgres-quota-store.ts).
create function notify_project_limits() returns trigger language plpgsql as $$
begin
  perform pg_notify('quota_limits', new.dsn_id::text);
  return null;
end
$$;

create trigger project_limits_changed after update of monthly_events, events_per_minute on projects
  for each row when ((old.monthly_events, old.events_per_minute) is distinct from (new.monthly_events, new.events_per_minute))
  execute function notify_project_limits();

create function notify_key_limit() returns trigger language plpgsql as $$
begin
  perform pg_notify('quota_limits', dsn_id::text) from projects where id = new.project_id;
  return null;
end
$$;

create trigger key_limit_changed after insert or update of events_per_minute on dsn_keys
  for each row execute function notify_key_limit();
