-- What the dashboard counts, and lists first, without reading all rows of a project.

-- The usual list: what is unresolved, the latest first.
create index issues_unresolved on issues (project_id, last_seen desc, id desc)
  where status = 'unresolved' and merged_into is null;

create index feedback_new on feedback (project_id) where status = 'New' and not archived;
