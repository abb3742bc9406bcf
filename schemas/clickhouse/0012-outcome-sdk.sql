-- The SDK whose items are counted: its name without a version, empty when it is unknown. In rows from before, and in those of
-- versions that do not know this column, it is empty. A column that is added in the same statement may extend the sorting key.
alter table outcomes
  add column if not exists sdk LowCardinality(String) after category,
  modify order by (project_id, hour, outcome, reason, category, dsn_key_no, component, sdk)
