-- Votes that another service counted and whose voters its file does not name: they count, and nobody can take one back.
alter table ideas add column imported_votes int not null default 0
  check (imported_votes between 0 and 10000000);

-- The votes of an idea: one of each voter, and the imported ones of the idea and of its duplicates.
create function votes_of_idea(idea uuid) returns bigint language sql stable as $$
  select (select count(*) from votes where idea_id = idea) + coalesce((
    select sum(imported_votes) from (
      select imported_votes from ideas where id = idea
      union all
      select imported_votes from ideas where duplicate_of = idea
    ) counted
  ), 0)
$$;
