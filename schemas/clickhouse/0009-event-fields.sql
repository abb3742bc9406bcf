-- Fields of the payload that people search by. The workers write them; in rows from before, and in those of versions that
-- do not know these columns, they are read from the payload until their part is merged. The indexes skip parts of the table
-- in which a value does not occur.
alter table events
  add column if not exists url String default JSONExtractString(payload, 'request', 'url') codec(ZSTD(1)) after record_index,
  add column if not exists http_method LowCardinality(String) default JSONExtractString(payload, 'request', 'method') after url,
  add column if not exists transaction LowCardinality(String) default JSONExtractString(payload, 'transaction') after http_method,
  add column if not exists trace_id String default JSONExtractString(payload, 'contexts', 'trace', 'trace_id') codec(ZSTD(1)) after transaction,
  add column if not exists os_name LowCardinality(String) default JSONExtractString(payload, 'contexts', 'os', 'name') after trace_id,
  add column if not exists browser_name LowCardinality(String) default JSONExtractString(payload, 'contexts', 'browser', 'name') after os_name,
  add column if not exists device_model LowCardinality(String) default JSONExtractString(payload, 'contexts', 'device', 'model') after browser_name,
  add column if not exists runtime_name LowCardinality(String) default JSONExtractString(payload, 'contexts', 'runtime', 'name') after device_model,
  add index if not exists url_bloom url type bloom_filter(0.01) granularity 1,
  add index if not exists trace_bloom trace_id type bloom_filter(0.01) granularity 1,
  add index if not exists user_id_bloom user_id type bloom_filter(0.01) granularity 1,
  add index if not exists user_email_bloom user_email type bloom_filter(0.01) granularity 1,
  add index if not exists tag_values_bloom mapValues(tags) type bloom_filter(0.01) granularity 1
