-- Components and environments by grouping hash. `issue_sums` has them as sets, one in each row of each part, and a list of issues has to
-- read most of these rows: here they are plain columns, which cost a quarter. Used once all parts have it (api/issues/sums/stored-names-store.ts).
alter table events add projection if not exists issue_names (
  select project_id, fingerprint, component, environment
  group by project_id, fingerprint, component, environment
)
