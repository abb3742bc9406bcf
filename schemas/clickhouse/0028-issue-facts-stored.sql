-- In the background. Until then, the page of an issue reads older events from the table.
alter table events materialize projection issue_facts
