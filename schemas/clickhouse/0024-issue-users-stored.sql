-- In the background. Until then, users and names of issues are read from older events one by one.
alter table events materialize projection issue_users, materialize projection issue_names
