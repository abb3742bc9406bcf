-- The sequence up to which the ranges of a partition have notes in ClickHouse (table `ranges` there). Equal to committed_seq after
-- a commit of a version that writes notes: then a missing note shows that ClickHouse is older than Postgres.
alter table partition_cursors add column noted_seq bigint;
