/**
 * The manifest of a backup: what was in every table at one point in time, as references to objects
 * that are named by their SHA-256. Other sets, such as attachments, get a place in `sets`.
 */
import { z } from 'zod'

const Count = z.number().int().nonnegative()

/** `sha256` and `bytes` of the content; `storedBytes` of the compressed file. */
export const ObjectRef = z.object({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: Count,
  storedBytes: Count,
  rows: Count,
})
export type ObjectRef = z.infer<typeof ObjectRef>

const Migration = z.object({ name: z.string(), sha256: z.string() })

export const BackupCursor = z.object({
  partition: Count,
  generation: Count,
  committedSeq: Count,
  /** Creation time of the stream as the broker reports it. */
  incarnation: z.string(),
})
export type BackupCursor = z.infer<typeof BackupCursor>

export const PostgresTable = z.object({
  schema: z.string(),
  name: z.string(),
  columns: z.array(z.string()),
  rows: Count,
  bytes: Count,
  /** Rows in the text format of COPY, cut between rows. */
  objects: z.array(ObjectRef),
})
export type PostgresTable = z.infer<typeof PostgresTable>

export const ClickHousePart = z.object({
  /** Identifies the content of a part, so that an unchanged part is not read again. */
  key: z.string(),
  rows: Count,
  /** Rows in the Native format. */
  objects: z.array(ObjectRef),
})
export type ClickHousePart = z.infer<typeof ClickHousePart>

export const ClickHouseTable = z.object({
  name: z.string(),
  columns: z.array(z.string()),
  rows: Count,
  bytes: Count,
  parts: z.array(ClickHousePart),
})
export type ClickHouseTable = z.infer<typeof ClickHouseTable>

export const Manifest = z.object({
  format: z.literal(1),
  /** Time in UTC to the millisecond, and random digits. Later backups sort after earlier ones. */
  id: z.string().regex(/^[0-9]{8}T[0-9]{9}Z-[0-9a-f]{8}$/),
  installationId: z.uuid(),
  /** Version of the program that wrote it. */
  version: z.string(),
  startedAt: z.string(),
  /** The point in time that the backup shows. */
  pointAt: z.string(),
  finishedAt: z.string(),
  /** How long workers planned no new range. */
  holdMs: Count,
  migrations: z.object({ postgres: z.array(Migration), clickhouse: z.array(Migration) }),
  cursors: z.array(BackupCursor),
  postgres: z.object({
    tables: z.array(PostgresTable),
    sequences: z.array(
      z.object({ schema: z.string(), name: z.string(), value: z.string(), isCalled: z.boolean() }),
    ),
    /** Tables whose rows are not in the backup, with the reason. */
    leftOut: z.array(z.object({ table: z.string(), reason: z.string() })),
  }),
  clickhouse: z.object({ tables: z.array(ClickHouseTable) }),
  /** Sets of objects outside the databases. */
  sets: z.array(z.object({ name: z.string(), objects: z.array(ObjectRef) })),
  /** What a person has to keep elsewhere. */
  notIncluded: z.array(z.string()),
  written: z.object({ objects: Count, storedBytes: Count }),
})
export type Manifest = z.infer<typeof Manifest>

/** Every object that the manifest names; an object may occur several times. */
export function objectsOf({ postgres, clickhouse, sets }: Manifest): ObjectRef[] {
  return [
    ...postgres.tables.flatMap(({ objects }) => objects),
    ...clickhouse.tables.flatMap(({ parts }) => parts.flatMap(({ objects }) => objects)),
    ...sets.flatMap(({ objects }) => objects),
  ]
}
