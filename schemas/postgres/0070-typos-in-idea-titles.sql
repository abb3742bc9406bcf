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
