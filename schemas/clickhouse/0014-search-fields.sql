-- More facts of events that people search by. Rows from before, and those of versions that do not know these columns, read them from the
-- payload until their part is merged.
--
-- The frames of a stack trace stand in the first row of each range that has this stack, and `stack_id` in every row that has it: a search
-- for a frame looks for the ids of the stacks first. Rows from before have their frames themselves, under an id of their own.
--
-- `tag_hashes` is read in place of the wide map `tags`; a hash may match by chance, so the map is compared, too.
alter table events
  add column if not exists os LowCardinality(String) default trim(BOTH ' ' FROM concat(JSONExtractString(payload, 'contexts', 'os', 'name'), ' ', JSONExtractString(payload, 'contexts', 'os', 'version'))) after runtime_name,
  add column if not exists browser LowCardinality(String) default trim(BOTH ' ' FROM concat(JSONExtractString(payload, 'contexts', 'browser', 'name'), ' ', JSONExtractString(payload, 'contexts', 'browser', 'version'))) after os,
  add column if not exists runtime LowCardinality(String) default trim(BOTH ' ' FROM concat(JSONExtractString(payload, 'contexts', 'runtime', 'name'), ' ', JSONExtractString(payload, 'contexts', 'runtime', 'version'))) after browser,
  add column if not exists device_family LowCardinality(String) default JSONExtractString(payload, 'contexts', 'device', 'family') after runtime,
  add column if not exists device_brand LowCardinality(String) default JSONExtractString(payload, 'contexts', 'device', 'brand') after device_family,
  add column if not exists device_arch LowCardinality(String) default JSONExtractString(payload, 'contexts', 'device', 'arch') after device_brand,
  add column if not exists geo_country LowCardinality(String) default JSONExtractString(payload, 'user', 'geo', 'country_code') after device_arch,
  add column if not exists geo_region LowCardinality(String) default JSONExtractString(payload, 'user', 'geo', 'region') after geo_country,
  add column if not exists geo_city LowCardinality(String) default JSONExtractString(payload, 'user', 'geo', 'city') after geo_region,
  add column if not exists http_status LowCardinality(String) default trim(BOTH '"' FROM JSONExtractRaw(payload, 'contexts', 'response', 'status_code')) after geo_city,
  add column if not exists mechanism LowCardinality(String) default JSONExtractString(payload, 'exception', 'values', -1, 'mechanism', 'type') after http_status,
  add column if not exists handled LowCardinality(String) default transform(JSONExtractRaw(payload, 'exception', 'values', -1, 'mechanism', 'handled'), ['true', 'false'], ['yes', 'no'], '') after mechanism,
  add column if not exists main_thread LowCardinality(String) default '' after handled,
  add column if not exists error_types Array(LowCardinality(String)) default arrayMap(value -> JSONExtractString(value, 'type'), JSONExtractArrayRaw(payload, 'exception', 'values')) after main_thread,
  add column if not exists error_values Array(String) default arrayMap(value -> substringUTF8(JSONExtractString(value, 'value'), 1, 250), JSONExtractArrayRaw(payload, 'exception', 'values')) codec(ZSTD(1)) after error_types,
  add column if not exists stack_id UInt64 default sipHash64(event_id) codec(ZSTD(1)) after error_values,
  add column if not exists stack_functions Array(String) default arrayFlatten(arrayMap(value -> arrayMap(frame -> JSONExtractString(frame, 'function'), JSONExtractArrayRaw(value, 'stacktrace', 'frames')), JSONExtractArrayRaw(payload, 'exception', 'values'))) codec(ZSTD(1)) after stack_id,
  add column if not exists stack_filenames Array(String) default arrayFlatten(arrayMap(value -> arrayMap(frame -> JSONExtractString(frame, 'filename'), JSONExtractArrayRaw(value, 'stacktrace', 'frames')), JSONExtractArrayRaw(payload, 'exception', 'values'))) codec(ZSTD(1)) after stack_functions,
  add column if not exists stack_abs_paths Array(String) default arrayFlatten(arrayMap(value -> arrayMap(frame -> JSONExtractString(frame, 'abs_path'), JSONExtractArrayRaw(value, 'stacktrace', 'frames')), JSONExtractArrayRaw(payload, 'exception', 'values'))) codec(ZSTD(1)) after stack_filenames,
  add column if not exists stack_modules Array(String) default arrayFlatten(arrayMap(value -> arrayMap(frame -> JSONExtractString(frame, 'module'), JSONExtractArrayRaw(value, 'stacktrace', 'frames')), JSONExtractArrayRaw(payload, 'exception', 'values'))) codec(ZSTD(1)) after stack_abs_paths,
  add column if not exists stack_packages Array(String) default arrayFlatten(arrayMap(value -> arrayMap(frame -> JSONExtractString(frame, 'package'), JSONExtractArrayRaw(value, 'stacktrace', 'frames')), JSONExtractArrayRaw(payload, 'exception', 'values'))) codec(ZSTD(1)) after stack_modules,
  add column if not exists stack_in_app LowCardinality(String) default '' after stack_packages,
  add column if not exists tag_hashes Array(UInt32) materialized arrayMap((name, value) -> toUInt32(cityHash64(name, value)), mapKeys(tags), mapValues(tags)) codec(ZSTD(1)) after tags,
  add index if not exists tag_hashes_bloom tag_hashes type bloom_filter(0.01) granularity 1,
  drop index if exists tag_values_bloom
