-- Ids of the items that are no events and must not be counted twice: check-ins, client reports and sums of sessions of the
-- last day. Events have theirs in ClickHouse; these are few, and belong to the transaction that counts the items.
create table item_ids (
  partition int not null,
  received_at timestamptz not null,
  project_id bigint not null,
  record_id uuid not null
);

create index item_ids_partition on item_ids (partition, received_at);
