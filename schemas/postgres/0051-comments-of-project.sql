-- The team lists all comments of a portal, newest first, also those of one author.

create index comments_by_time on comments (project_id, created_at desc, id desc) where deleted_at is null;
create index comments_of_author on comments (author_id, created_at desc, id desc)
  where author_id is not null and deleted_at is null;
