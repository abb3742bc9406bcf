-- The SDK of the row of outcomes that is corrected. Versions that do not know this column leave it empty.
alter table outcome_corrections add column sdk text not null default '';
