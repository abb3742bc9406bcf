-- One row per event. `fingerprint` is the event's first grouping hash; Postgres says which issue owns it,
-- so merging issues touches no row here. `partition`, `stream_generation`, `stream_seq` and `record_index` tell where
-- on the log the event stood.
create table if not exists events (
  project_id UInt64,
  event_id UUID,
  fingerprint UUID,
  occurred_at DateTime64(3, 'UTC') codec(DoubleDelta, ZSTD(1)),
  received_at DateTime64(3, 'UTC') codec(DoubleDelta, ZSTD(1)),
  level LowCardinality(String),
  platform LowCardinality(String),
  title String codec(ZSTD(1)),
  culprit String codec(ZSTD(1)),
  exception_type String codec(ZSTD(1)),
  logger LowCardinality(String),
  release LowCardinality(String),
  dist LowCardinality(String),
  environment LowCardinality(String),
  component LowCardinality(String),
  server_name LowCardinality(String),
  sdk LowCardinality(String),
  user_id String codec(ZSTD(1)),
  user_email String codec(ZSTD(1)),
  user_name String codec(ZSTD(1)),
  user_ip String codec(ZSTD(1)),
  tags Map(LowCardinality(String), String) codec(ZSTD(1)),
  grouping String codec(ZSTD(1)),
  payload String codec(ZSTD(1)),
  dsn_key_no UInt32,
  retention_days UInt16,
  partition UInt16,
  stream_generation UInt32,
  stream_seq UInt64 codec(DoubleDelta, ZSTD(1)),
  record_index UInt32,
  index event_id_bloom event_id type bloom_filter(0.01) granularity 1,
  index release_bloom release type bloom_filter(0.01) granularity 1
)
engine = MergeTree
partition by toMonday(received_at)
order by (project_id, toDate(received_at), fingerprint, event_id)
ttl toDateTime(received_at) + toIntervalDay(retention_days)
settings non_replicated_deduplication_window = 10000
