-- A part that an insert writes has some 300 files if each column has files of its own, and creating and deleting them cost the kernel
-- more than everything else an insert of large events does. Parts below this size keep all columns in one file; merges write large parts
-- column by column, as searches read them. Parts that exist stay as they are.
alter table events modify setting min_bytes_for_wide_part = 268435456
