/**
 * What a restored Postgres must not take over as it was: locks of processes that have ended, and
 * numbers that the lost time after the point may have used.
 */
import type { Connection } from './connection-store.ts'

// cspell:ignore deptype nspname refclassid refobjid regtype relnamespace seqrelid seqtypid

/** Beyond the leases of years; the lease number of a record has 48 bits. */
const leaseNumbersSkipped = 2 ** 36
/** Ids that only this database uses, but for those in frames of the lost time. */
const idsSkipped = 1_000_000
/** Numbers that people see (DSN) or that are 32 bits wide. */
const smallNumbersSkipped = 1_000

/**
 * Records that were accepted after the point are replayed from the stream and the write-ahead logs.
 * They name leases, projects and dead letters by numbers, which must not be given out again.
 */
export async function skipUsedNumbers(client: Connection): Promise<void> {
  const { rows } = await client.query<{ sequence: string; skip: string }>(
    `select s.seqrelid::regclass::text as sequence,
       case when t.relname = 'quota_leases' then '${leaseNumbersSkipped}'
            when t.relname = 'projects' or s.seqtypid <> 'int8'::regtype then '${smallNumbersSkipped}'
            else '${idsSkipped}' end as skip
     from pg_sequence s join pg_class c on c.oid = s.seqrelid
     join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
     left join pg_depend d on d.objid = c.oid and d.classid = 'pg_class'::regclass
       and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i')
     left join pg_class t on t.oid = d.refobjid`,
  )
  for (const { sequence, skip } of rows) {
    await client.query(`select setval($1::regclass, last_value + $2::bigint) from ${sequence}`, [
      sequence,
      skip,
    ])
  }
}

/** Jobs that were running at the point run again. */
export async function unlockJobs(client: Connection): Promise<void> {
  await client.query(
    `update graphile_worker._private_jobs set locked_at = null, locked_by = null
     where locked_at is not null`,
  )
  await client.query(
    `update graphile_worker._private_job_queues set locked_at = null, locked_by = null
     where locked_at is not null`,
  )
}

/**
 * Returns what ingest instances had leased and not used. Records of theirs that arrive later, from
 * the stream or a write-ahead log, are charged when they are committed. An instance that is still
 * alive reports and is open again. The time of the last report is set back, so that the progress of
 * their frames is kept as long as that of an instance whose log nobody has confirmed.
 */
export async function settleInstances(client: Connection): Promise<void> {
  await client.query(
    `select settle_boot(boot_id) from (
       select boot_id from ingest_boots where settled_at is null
       union select boot_id from quota_leases where state <> 'settled'
     ) as boot order by boot_id`,
  )
  await client.query(
    `update ingest_boots set seen_at = least(seen_at, now() - interval '25 hours')
     where settled_at = now()`,
  )
}

/**
 * Begins a new generation where the backup ends, so that no insert token of the lost time is used
 * again. The worker that takes a partition over finds out by `incarnation` whether its stream is
 * still the same. ClickHouse has no note with the new generation, which is no sign of an older one.
 */
export async function advanceCursors(client: Connection): Promise<void> {
  // A backup of a version before notes has no such column.
  const { rowCount } = await client.query(
    `select from information_schema.columns
     where table_schema = 'public' and table_name = 'partition_cursors' and column_name = 'noted_seq'`,
  )
  await client.query(
    `update partition_cursors set generation = generation + 1, epoch = epoch + 1,
       planned_seq = committed_seq, planned_settings = '{}', planned_outcomes = '',
       ${rowCount === 1 ? 'noted_seq = null,' : ''} updated_at = now()`,
  )
}

/** Pauses campaigns that were being sent: what was sent after the point would be sent twice. */
export async function pauseCampaigns(client: Connection): Promise<number> {
  const { rowCount } = await client.query(
    `update campaigns set state = 'paused', reason = $1, updated_at = now()
     where state in ('preparing', 'sending') or state = 'scheduled' and scheduled_at <= now()`,
    [restoredReason],
  )
  return rowCount ?? 0
}

const restoredReason = 'The installation was restored from a backup'

/** The number of transactional emails that the mailer sends when it starts. */
export async function countWaitingEmails(client: Connection): Promise<number> {
  const { rows } = await client.query<{ waiting: number }>(
    `select count(*) as waiting from sends where state in ('queued', 'claimed')`,
  )
  return rows[0]?.waiting ?? 0
}

/** Cancels the transactional emails that were waiting. An email with a link loses its text. */
export async function cancelWaitingEmails(client: Connection): Promise<number> {
  const { rowCount } = await client.query(
    `update sends set state = 'cancelled', reason = $1, finished_at = now(), lease_until = null,
       claimed_by = null, sealed_body = null
     where state in ('queued', 'claimed')`,
    [restoredReason],
  )
  return rowCount ?? 0
}
