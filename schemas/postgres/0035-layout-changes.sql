-- The number of partitions can change while the product runs. A layout is a set of partitions with numbers that no other
-- layout uses: its first partition and how many there are. `partitions` and `streams` of this table describe the layout that
-- workers digest; the columns `next_…` describe its successor, which ingest processes that start use already. When nothing of
-- the former layout is left, workers move to the successor.

alter table installation
  add column first_partition int not null default 0 check (first_partition >= 0),
  -- When workers moved to the present layout; null for the first one.
  add column layout_since timestamptz,
  add column next_first_partition int check (next_first_partition > first_partition),
  add column next_partitions int check (next_partitions > 0),
  add column next_streams int check (next_streams > 0),
  add constraint next_layout_is_whole check (num_nonnulls(next_first_partition, next_partitions, next_streams) in (0, 3));

-- The layout to which an ingest instance publishes, by its first partition.
alter table ingest_boots add column first_partition int not null default 0;
