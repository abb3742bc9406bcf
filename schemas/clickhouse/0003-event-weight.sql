-- A row stands for itself and for the events in `sampled_ids`, which a brake on their issue kept from rows of their
-- own: an issue's events are counted with sum(1 + length(sampled_ids)).
alter table events add column if not exists sampled_ids Array(UUID) codec(ZSTD(1))
