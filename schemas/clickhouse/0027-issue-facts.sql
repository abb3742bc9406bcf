-- What the page of an issue counts: tags, users, components and times. In the table, the events of an issue lie apart by days, so that a few
-- events of ninety days take ninety granules of 8,192 rows of each column; here they lie together in each part, in granules of 1,024 rows.
-- The page of such an issue takes a third of the CPU time. It needs 60 bytes of disk an event, and 1 to 2 of the 25 ms of an insert.
alter table events add projection if not exists issue_facts (
  select
    project_id, fingerprint, received_at, sampled_ids, component, release, environment, level, transaction, url,
    user_id, user_email, user_name, user_ip, browser, browser_name, os, os_name, device_model, device_family,
    runtime, runtime_name, handled, mechanism, server_name, sdk, tags
  order by project_id, fingerprint, received_at
) with settings (index_granularity = 1024)
