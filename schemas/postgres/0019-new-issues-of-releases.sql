-- Which release an issue was first seen in may change: partitions commit by themselves, so an earlier event may be counted later, and
-- issues are merged. So it is not counted beside the issues, but where it is asked for.
alter table releases drop column new_issue_count;

create index issues_by_first_release on issues (project_id, first_release) where first_release is not null;
