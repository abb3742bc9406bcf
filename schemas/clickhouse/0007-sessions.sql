-- One row per session, however many updates of it came and in whichever order: rows of one session are merged column by
-- column, and every column only ever grows. `status`: 0 running, 1 exited, 2 unhandled, 3 abnormal, 4 crashed.
-- `weight` 0: a user of sessions that came as sums (release_health_counts in Postgres), seen here and counted there.
create table if not exists sessions (
  project_id UInt64,
  hour DateTime('UTC') codec(DoubleDelta, ZSTD(1)),
  release LowCardinality(String),
  environment LowCardinality(String),
  sid UUID,
  status SimpleAggregateFunction(max, UInt8),
  errored SimpleAggregateFunction(max, UInt8),
  weight SimpleAggregateFunction(max, UInt8),
  user_hash SimpleAggregateFunction(max, UInt64),
  -- Of a session that has exited, 0 when it is not known.
  duration_ms SimpleAggregateFunction(max, UInt64),
  retention_days SimpleAggregateFunction(max, UInt16)
)
engine = AggregatingMergeTree
partition by toMonday(hour)
order by (project_id, hour, release, environment, sid)
ttl hour + toIntervalDay(retention_days)
settings non_replicated_deduplication_window = 10000
