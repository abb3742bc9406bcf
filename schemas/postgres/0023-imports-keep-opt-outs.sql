-- Imports read the states of other services, and report what they left out.
alter table contact_imports
  add column skipped int not null default 0,
  add column suppressed int not null default 0,
  add column warned int not null default 0,
  -- Parts of rows that were left out: [{ line, field, rule }].
  add column warnings jsonb not null default '[]';

-- Imports that wait or run, and dry runs that can be started, go on with the new form of their plan.
update contact_imports set plan = (plan - 'name' - 'status') || jsonb_build_object(
  'format', 'generic',
  'encoding', 'utf-8',
  'columns', null,
  'names', case when plan ? 'name' then jsonb_build_array(plan -> 'name') else '[]' end,
  'states', case when plan ? 'status' then jsonb_build_array(jsonb_build_object(
    'column', plan -> 'status',
    'name', 'status',
    'values', '{"subscribed": "subscribed", "unsubscribed": "unsubscribed"}'::jsonb,
    'blank', 'nothing'
  )) else '[]' end,
  'fitAttribs', false,
  'ignoredColumns', '[]'::jsonb
);

-- People who had unsubscribed and were then erased or deleted: an import does not subscribe them again, a signup of their own does. Only a
-- hash, salted with the organization's id, as that of a suppressed address.
create table erased_opt_outs (
  organization_id uuid not null references organizations on delete cascade,
  email_hash text not null,
  erased_at timestamptz not null default now(),
  primary key (organization_id, email_hash)
);
