-- The projects nearest to their quota are read once a minute: only rows of the present month.
create index quota_usage_by_period on quota_usage (period);
