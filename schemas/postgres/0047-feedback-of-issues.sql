-- Feedback is listed beside the issue that it is about and the person who sent it.

create index feedback_of_issue on feedback (project_id, event_hash) where event_hash is not null;
create index feedback_of_person on feedback (project_id, lower(person_email)) where person_email is not null;
