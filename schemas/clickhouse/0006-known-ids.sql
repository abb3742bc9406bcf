-- The ids of a partition in the order of their receipt, for whoever takes the partition over. It is part of each part of
-- the table, so that a row and its id are inserted, deduplicated and deleted together. Parts from before it are read whole.
alter table events add projection if not exists known_ids (
  select
    project_id,
    event_id,
    received_at,
    sampled_ids,
    sampled_received_at,
    partition,
    stream_generation,
    stream_seq
  order by partition, received_at
)
