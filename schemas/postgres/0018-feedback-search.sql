-- Feedback is searched by the words of its message, and by any part of it.

alter table feedback add column search tsvector generated always as (to_tsvector('simple', message)) stored;

create index feedback_search on feedback using gin (search);
create index feedback_message_trigrams on feedback using gin (message gin_trgm_ops);

-- Who said it, as the portal knows people (endusers.enduser_id); null where nobody told.
alter table feedback add column enduser_id text;

-- The feed of what became of ideas reads the last changes of a portal.
create index idea_events_changes on idea_events (at desc, id desc) where kind in ('status', 'response');
