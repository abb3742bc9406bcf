-- Each range inserts a few rows, and months of them are a few megabytes. ClickHouse takes all parts below 5 MB for equally large, so every
-- fifth insert rewrote a whole month: with 2.5 million rows in it, 0.6 s of summing each second. With this base about twenty inserts are
-- merged at once.
alter table outcomes modify setting merge_selector_base = 20
