-- What `tag_ids_bloom`, `issue_users` and `issue_names` have replaced. The column `tag_hashes` stays for processes of the former version.
-- Does not wait for what runs in the background.
alter table events drop index if exists tag_hashes_bloom, drop projection if exists issue_sums settings alter_sync = 0
