/**
 * Tables whose rows are not in a backup, with the reason. Everything else is: also what decides
 * that an event is counted once (`partition_cursors`, `frame_progress`, `item_ids`,
 * `quota_leases`, `ingest_boots`), that an email is sent once (`sends`, `deliveries`) and that a
 * repeated request changes nothing (`idempotency_keys`).
 */
export const leftOutTables: Readonly<Record<string, string>> = {
  'public.migrations': 'A restore runs the migrations that the manifest lists.',
  'public.workers': 'Worker processes that are alive; each writes its row again.',
  'public.rate_windows': 'Requests of the last minutes, for rate limits.',
  'public.quota_minutes': 'Events per minute, for limits of minutes that have passed.',
  'public.logins': 'A login that was ended since would be valid again: people log in again.',
  'public.person_links':
    'A link to set a password that was used since would be valid again: request a new one.',
  'public.backup_holds': 'Only has a meaning while a backup runs.',
  'public.backups': 'The place lists its backups.',
  'graphile_worker.migrations': 'The job queue creates its own tables.',
}
