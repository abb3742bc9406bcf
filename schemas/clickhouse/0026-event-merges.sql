-- As for outcomes (0018-outcome-merges.sql): with the default of 5, the rows of every fifth insert are merged with a part that has those of
-- the former ones, so that a row is rewritten six times until its part has 5 MB. With this base about twenty inserts are merged at once.
alter table events modify setting merge_selector_base = 20
