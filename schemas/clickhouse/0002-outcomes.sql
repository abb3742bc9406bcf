-- The books: how many items of a project and key met which fate in which hour. Read with sum().
create table if not exists outcomes (
  project_id UInt64,
  dsn_key_no UInt32,
  component LowCardinality(String),
  hour DateTime('UTC'),
  outcome LowCardinality(String),
  reason LowCardinality(String),
  category LowCardinality(String),
  quantity UInt64
)
engine = SummingMergeTree(quantity)
partition by toYYYYMM(hour)
order by (project_id, hour, outcome, reason, category, dsn_key_no, component)
settings non_replicated_deduplication_window = 10000
