-- When the events in `sampled_ids` were received, one for one: a copy of an event is one only within a day of it.
alter table events add column if not exists sampled_received_at Array(DateTime('UTC')) codec(ZSTD(1))
