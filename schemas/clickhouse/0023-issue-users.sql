-- Users by grouping hash, in place of those in `issue_sums`. A list asks for fifty of them, which are spread over the whole projection: with
-- granules of 512 rows it reads half, and the page of an issue a third. Names have a projection of their own (0017-issue-names.sql). Needs
-- ClickHouse 25.12. Queries use it if they write these expressions in the same way (api/issues/sums/issue-sums.ts).
alter table events add projection if not exists issue_users (
  select
    project_id,
    fingerprint,
    uniqIf(
      multiIf(notEmpty(user_id), concat('id:', user_id), notEmpty(user_email), concat('email:', user_email),
        notEmpty(user_name), concat('name:', user_name), notEmpty(user_ip), concat('ip:', user_ip), ''),
      notEmpty(multiIf(notEmpty(user_id), concat('id:', user_id), notEmpty(user_email), concat('email:', user_email),
        notEmpty(user_name), concat('name:', user_name), notEmpty(user_ip), concat('ip:', user_ip), '')))
  group by project_id, fingerprint
) with settings (index_granularity = 512)
