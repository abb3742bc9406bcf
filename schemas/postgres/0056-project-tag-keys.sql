-- Names of tags that people have searched for and that an event had: they stay known when the event has expired.
create table project_tag_keys (
  project_id bigint not null references projects (dsn_id) on delete cascade,
  key text not null,
  primary key (project_id, key)
);
