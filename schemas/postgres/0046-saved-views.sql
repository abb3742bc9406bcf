-- Views of lists that people keep: the filters, sorting and columns as the query of an address.

create table saved_views (
  id uuid primary key,
  project_id bigint not null references projects (dsn_id) on delete cascade,
  -- Whose view it is; null for one that the whole organization sees.
  person_id uuid references people on delete cascade,
  -- The list that it shows, such as `issues`.
  page text not null,
  name text not null,
  params text not null,
  -- Within the shared views of the project, or within those of the person there.
  position int not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create index saved_views_of_project on saved_views (project_id, person_id);
create index saved_views_of_person on saved_views (person_id) where person_id is not null;
