/** A connection of its own for a backup or restore: without the timeouts of the pool. */
import pg from 'pg'
// Sets the parser of int8.
import '#platform/postgres.ts'
import { BackupError } from '../backup-error.ts'

// cspell:ignore datestyle intervalstyle

export type Connection = pg.Client

const connectMsMax = 10_000

export const backupConnectionName = 'sluice-backup'

export async function connectPostgres(url: string): Promise<Connection> {
  const client = new pg.Client({
    connectionString: url,
    application_name: backupConnectionName,
    connectionTimeoutMillis: connectMsMax,
    keepAlive: true,
    statement_timeout: 0,
    idle_in_transaction_session_timeout: 0,
    lock_timeout: 60_000,
  })
  // The next query reports a broken connection.
  client.on('error', () => undefined)
  try {
    await client.connect()
  } catch (error) {
    throw new BackupError(`Postgres does not answer: ${(error as Error).message}.`, {
      cause: error,
    })
  }
  // Values as text that any server reads as the same value.
  await client.query(
    `set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set timezone = 'UTC';
     set extra_float_digits = 3; set bytea_output = 'hex'; set client_encoding = 'UTF8'`,
  )
  return client
}

const sluiceBackupLock = `hashtextextended('sluice backup', 0)`

/**
 * Held until the connection ends. Throws if another backup or restore of this database is running.
 */
export async function lockBackups(client: Connection): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>(
    `select pg_try_advisory_lock(${sluiceBackupLock}) as locked`,
  )
  if (rows[0]?.locked === true) return
  throw new BackupError(
    'Another backup or restore of this installation is running: wait until it has ended.',
  )
}
