-- As 0018-outcome-merges.sql: a few rows for each range that has sessions, of a week in one partition.
alter table sessions modify setting merge_selector_base = 20
