-- Sums of the sessions of days that are over, made of `sessions` by a task of the workers, and made again from there at any
-- time. A row with the width 0 says that this version of the day of a project is whole. Readers take the highest version and
-- read all other days from `sessions`. The day of project 0 says that all projects of the day have been looked at.
create table if not exists session_days (
  project_id UInt64,
  day Date codec(DoubleDelta, ZSTD(1)),
  version UInt64,
  -- Seconds: 3600 or 86400; 0 for the row that completes the day.
  width UInt32,
  start DateTime('UTC') codec(DoubleDelta, ZSTD(1)),
  release LowCardinality(String),
  environment LowCardinality(String),
  sessions UInt64,
  crashed UInt64,
  abnormal UInt64,
  unhandled UInt64,
  -- Sessions with at least one error, also those of the three columns before.
  errored UInt64,
  -- Sessions that have exited and whose duration is known, and the sum of their durations.
  timed UInt64,
  duration_ms UInt64,
  users AggregateFunction(uniqCombined64(15), UInt64),
  crashed_users AggregateFunction(uniqCombined64(15), UInt64),
  durations AggregateFunction(quantilesDD(0.01, 0.5, 0.95), UInt64),
  -- Of the sessions; one more for a whole day and two more for the row that completes it, which must expire last.
  retention_days UInt16
)
engine = MergeTree
partition by toYYYYMM(day)
order by (project_id, width, day, version, release, environment, start)
ttl start + toIntervalDay(retention_days)
-- Rows are large: a state has up to 25 KB.
settings index_granularity = 256, non_replicated_deduplication_window = 10000
