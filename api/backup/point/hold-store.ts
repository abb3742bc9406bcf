/**
 * The hold under which a backup takes its point in time: workers plan no new range while it lasts
 * (workers/partitions/cursor-store.ts), and corrections of outcomes are not sent.
 */
import type { BackupCursor } from '#schemas/backup/manifest.ts'
import type { Connection } from '../postgres/connection-store.ts'

/** A hold that is not prolonged ends after this time. */
const holdInterval = '15 seconds'
const correctionsLock = `hashtextextended('outcome corrections', 0)`

export async function prolongHold(client: Connection, id: string): Promise<void> {
  await client.query(
    `insert into backup_holds (id, until) values ($1, now() + interval '${holdInterval}')
     on conflict (id) do update set until = excluded.until`,
    [id],
  )
}

/** Also removes holds of backups that were killed. The caller holds the lock of backups. */
export async function releaseHolds(client: Connection): Promise<void> {
  await client.query('delete from backup_holds')
}

export async function isHeld(client: Connection, id: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'select from backup_holds where id = $1 and until > now()',
    [id],
  )
  return rowCount === 1
}

export interface CursorState extends BackupCursor {
  readonly plannedSeq: number
}

export async function readCursors(client: Connection): Promise<CursorState[]> {
  const { rows } = await client.query<CursorState>(
    `select partition, generation, incarnation, committed_seq as "committedSeq", planned_seq as "plannedSeq"
     from partition_cursors order by partition`,
  )
  return rows
}

/**
 * Keeps workers from sending corrections, by the lock that the sender takes. False: one is being
 * sent, or a batch was assigned whose rows ClickHouse may hold already.
 */
export async function holdCorrections(client: Connection): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `select pg_try_advisory_lock(${correctionsLock}) as locked`,
  )
  if (rows[0]?.locked !== true) return false
  const { rowCount } = await client.query(
    'select from outcome_corrections where batch is not null limit 1',
  )
  if (rowCount === 0) return true
  await releaseCorrections(client)
  return false
}

export async function releaseCorrections(client: Connection): Promise<void> {
  await client.query(`select pg_advisory_unlock(${correctionsLock})`)
}
