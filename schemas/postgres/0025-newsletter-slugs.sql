-- A slug names a newsletter within its organization: the API key of a call says which one. Only the address of the public archive
-- has no organization in it, so it gets a name of its own, which is the slug unless another organization's archive has that already.

alter table newsletters add column archive_path text;
update newsletters set archive_path = slug;
alter table newsletters
  alter column archive_path set not null,
  add constraint newsletters_archive_path_key unique (archive_path),
  add constraint newsletters_slug_of_organization unique (organization_id, slug),
  drop constraint newsletters_slug_key;

-- Set once and kept: links in emails that were sent must go on working. The lock makes two newsletters with one slug wait for
-- each other, so that the second sees the first.
create function choose_archive_path() returns trigger language plpgsql as $$
declare
  suffix_length int := 0;
begin
  perform pg_advisory_xact_lock(8038, hashtext(new.slug));
  loop
    new.archive_path := new.slug || case when suffix_length = 0 then ''
      else '-' || left(replace(gen_random_uuid()::text, '-', ''), suffix_length) end;
    exit when not exists (select from newsletters n where n.archive_path = new.archive_path);
    suffix_length := least(suffix_length + 8, 32);
  end loop;
  return new;
end
$$;

create trigger newsletters_archive_path before insert on newsletters for each row execute function choose_archive_path();
