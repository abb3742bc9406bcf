-- Exact sliding windows that all API processes share, and the replies that a repeated Idempotency-Key gets again.

create table rate_windows (
  -- Whose window, as in `signup:<organization>:<ip>`.
  bucket text primary key,
  -- When each hit of the window was, the oldest first; never more than the window's maximum.
  hits timestamptz[] not null,
  -- When the last hit leaves the window: the row may go then.
  expires_at timestamptz not null
);

create index rate_windows_expired on rate_windows (expires_at);

create table idempotency_keys (
  organization_id uuid not null references organizations on delete cascade,
  -- Of the API key: two keys of one organization do not share.
  api_key_id uuid not null,
  -- SHA-256 of method, route and the header's value.
  key_hash bytea not null,
  -- SHA-256 of the canonical body.
  body_hash bytea not null,
  -- Null while the first request is still running.
  status int,
  reply jsonb,
  created_at timestamptz not null default now(),
  primary key (api_key_id, key_hash)
);

create index idempotency_keys_by_time on idempotency_keys (created_at);
