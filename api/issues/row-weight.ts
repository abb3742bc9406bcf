/** How many events a row of `events` counts for: its own and those that it stands for (schemas/clickhouse/0003). */
export const rowWeight = '(1 + length(sampled_ids))'
