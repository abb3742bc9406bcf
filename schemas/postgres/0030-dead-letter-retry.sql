-- What a retry of a dead letter needs beside its bytes, so that the record can be published again as it was received. All of it is
-- null for a frame that could not be read, and for rows that earlier versions wrote: neither can be retried.
alter table dead_letters
  add column kind text,
  add column dsn_key_no bigint,
  add column received_at timestamptz,
  add column record_id uuid,
  -- Null where the address is unknown, or where the project stores no addresses.
  add column address inet,
  add column header json,
  -- Set by `admin dead-letter retry`. The row is deleted by the commit of the retried record.
  add column retry_requested_at timestamptz,
  -- The frame in which the record is published again: instance id and partition; its counter is 0. Rows with the same pair are one
  -- frame. Written before the frame is first published and never changed while that partition exists, so the workers drop every
  -- further copy of the frame.
  add column retry_instance_id uuid,
  add column retry_partition int,
  add column retry_sent_at timestamptz;

create index dead_letters_in_retry on dead_letters (retry_instance_id, id) where retry_requested_at is not null;
create index dead_letters_by_reason on dead_letters (reason, id);
create index dead_letters_by_project on dead_letters (project_id, id);
