-- What a project has chosen (schemas/project-settings.ts); what is not in there is as a new project has it.
alter table projects add column settings jsonb not null default '{}';

-- Ingest holds the allowed origins with each key of the project, and hears of a change by the key's name.
create function notify_keys_of_project() returns trigger language plpgsql as $$
begin
  perform pg_notify('dsn_keys', public_key) from dsn_keys where project_id = new.id;
  return null;
end
$$;

create trigger project_origins_changed after update of settings on projects
  for each row when (old.settings -> 'allowed_origins' is distinct from new.settings -> 'allowed_origins')
  execute function notify_keys_of_project();
