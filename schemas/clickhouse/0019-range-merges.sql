-- As 0018-outcome-merges.sql: a row for each range, of five weeks in one partition.
alter table ranges modify setting merge_selector_base = 20
