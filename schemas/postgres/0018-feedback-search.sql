-- Feedback is searched by the words of its message, and by any part of it.

alter table feedback add column search tsvector generated always as (to_tsvector('simple', message)) stored;

create index feedback_search on feedback using gin (search);
create index feedback_message_trigrams on feedback using gin (message gin_trgm_ops);

-- Who said it, as the portal knows people (endusers.enduser_id); null where nobody told.
alter table feedback add column enduser_id text;
