-- A merge copies bookmarks and links to the issue that has the events. The copies name the issue
-- that they came from, so that undoing the merge takes them back.
alter table issue_bookmarks add column came_from uuid references issues on delete set null;
alter table issue_links add column came_from uuid references issues on delete set null;
create index issue_bookmarks_came_from on issue_bookmarks (came_from) where came_from is not null;
create index issue_links_came_from on issue_links (came_from) where came_from is not null;
