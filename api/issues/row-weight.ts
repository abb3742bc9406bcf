/**
 * The number of events that a row of `events` counts for: its own and those that it represents
 * (schemas/clickhouse/0003).
 */
export const rowWeight = '(1 + length(sampled_ids))'
