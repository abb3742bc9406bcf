-- A tag as one number, so that a search for a tag reads neither names nor values. Of a million different tags two have the same number with
-- a probability of 3 in 100,000,000. Someone who makes such tags on purpose makes their own events be found by a search for the other tag,
-- as that tag itself would. `tag_hashes` had 32 bits, so the wide map `tags` had to be compared as well, which took half of the time.
alter table events
  add column if not exists tag_ids Array(UInt64) materialized arrayMap((name, value) -> cityHash64(name, value), mapKeys(tags), mapValues(tags)) codec(ZSTD(1)) after tags,
  add index if not exists tag_ids_bloom tag_ids type bloom_filter(0.01) granularity 1
