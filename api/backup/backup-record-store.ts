/** The table `backups`: what was done, for the metric and for `doctor`. */
import type { Manifest } from '#schemas/backup/manifest.ts'
import type { Connection } from './postgres/connection-store.ts'

const errorCharactersMax = 1_000

/** The caller holds the lock of backups, so a row that is still `running` was left by a kill. */
export async function beginRecord(
  client: Connection,
  { id, place }: { readonly id: string; readonly place: string },
): Promise<void> {
  await client.query(
    `update backups set state = 'failed', finished_at = now(), error = 'the process was killed'
     where state = 'running'`,
  )
  await client.query('insert into backups (id, place) values ($1, $2)', [id, place])
}

export async function completeRecord(
  client: Connection,
  { id, pointAt, written }: Manifest,
): Promise<void> {
  await client.query(
    `update backups set state = 'complete', finished_at = now(), point_at = $2, bytes = $3 where id = $1`,
    [id, pointAt, written.storedBytes],
  )
}

export async function failRecord(client: Connection, id: string, error: unknown): Promise<void> {
  const text = (error instanceof Error ? error.message : String(error)).replaceAll('\0', '')
  await client.query(
    `update backups set state = 'failed', finished_at = now(), error = $2 where id = $1`,
    [id, text.slice(0, errorCharactersMax)],
  )
}

/** After a restore: the backup that it came from is the last success. */
export async function recordRestored(
  client: Connection,
  { id, startedAt, finishedAt, pointAt, written }: Manifest,
  place: string,
): Promise<void> {
  await client.query(
    `insert into backups (id, started_at, finished_at, point_at, place, bytes, state)
     values ($1, $2, $3, $4, $5, $6, 'complete') on conflict (id) do nothing`,
    [id, startedAt, finishedAt, pointAt, place, written.storedBytes],
  )
}
