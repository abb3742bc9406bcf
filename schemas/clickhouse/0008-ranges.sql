-- A note about each range of a partition, inserted after its plan and before its rows, and once more when it is undone. It holds
-- what the commit writes to Postgres and no row can reproduce (schemas/range-note.ts), for the day on which an older Postgres is
-- restored. A backup of Postgres that is older than these notes can only be reconciled from the rows.
create table if not exists ranges (
  partition UInt16,
  stream_generation UInt32,
  committed_seq UInt64,
  planned_seq UInt64,
  -- planned, undone
  kind LowCardinality(String),
  -- JSON; empty for a range that was undone.
  note String codec(ZSTD(3)),
  inserted_at DateTime('UTC') default now()
)
engine = MergeTree
order by (partition, stream_generation, planned_seq)
ttl inserted_at + toIntervalDay(35)
settings non_replicated_deduplication_window = 10000
