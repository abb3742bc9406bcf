-- Users, components and environments by grouping hash, so that a list of issues does not read their events. It is part of
-- each part of the table: it is inserted, deduplicated, changed and deleted with the rows. Parts from before it are read
-- whole. Queries use it if they write these expressions in the same way (api/issues/issue-stats.ts).
alter table events add projection if not exists issue_sums (
  select
    project_id,
    fingerprint,
    uniqIf(
      multiIf(notEmpty(user_id), concat('id:', user_id), notEmpty(user_email), concat('email:', user_email),
        notEmpty(user_name), concat('name:', user_name), notEmpty(user_ip), concat('ip:', user_ip), ''),
      notEmpty(multiIf(notEmpty(user_id), concat('id:', user_id), notEmpty(user_email), concat('email:', user_email),
        notEmpty(user_name), concat('name:', user_name), notEmpty(user_ip), concat('ip:', user_ip), ''))),
    groupUniqArrayIf(20)(component, notEmpty(component)),
    groupUniqArrayIf(20)(environment, notEmpty(environment))
  group by project_id, fingerprint
)
