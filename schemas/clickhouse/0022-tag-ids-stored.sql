-- In the background. Until then, a search for a tag computes the numbers of older events.
alter table events materialize column tag_ids, materialize index tag_ids_bloom
