/**
 * Imports and their files. One process at a time holds the lease of an import. The attempt number
 * rejects writes of a process whose lease has expired.
 */
import { v7 as uuidv7 } from 'uuid'
import type { ImportPlan, ImportProblem, ImportState } from '#schemas/rest/email/contact-import.ts'
import { problemsKeptMax } from '#schemas/rest/email/contact-import.ts'
import type { Database } from '../../database.ts'

export interface StoredImport {
  readonly id: string
  readonly organizationId: string
  readonly newsletterId: string
  readonly newsletter: string
  readonly plan: ImportPlan
  readonly dryRun: boolean
  readonly state: ImportState
  readonly attempt: number
  readonly fileBytes: number
  readonly bytesDone: number
  readonly rowsDone: number
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  readonly refused: number
  readonly skipped: number
  readonly suppressed: number
  readonly warned: number
  readonly reason: string | null
  readonly createdBy: string
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

export interface StoredReport extends StoredImport {
  readonly problems: ImportProblem[]
  readonly warnings: ImportProblem[]
}

const columns = `i.id, i.organization_id as "organizationId", i.newsletter_id as "newsletterId", n.slug as newsletter, i.plan,
  i.dry_run as "dryRun", i.state, i.attempt, i.file_bytes as "fileBytes", i.bytes_done as "bytesDone",
  i.rows_done as "rowsDone", i.created, i.updated, i.unchanged, i.refused, i.skipped, i.suppressed,
  i.warned, i.reason, i.created_by as "createdBy",
  i.created_at as "createdAt", i.finished_at as "finishedAt"`
const joined = 'contact_imports i join newsletters n on n.id = i.newsletter_id'
const leaseSeconds = 60

export async function addImport(
  pg: Database,
  added: {
    organizationId: string
    newsletterId: string
    plan: ImportPlan
    dryRun: boolean
    chunks: readonly Buffer[]
    createdBy: string
    now: Date
  },
): Promise<string> {
  const id = uuidv7()
  const fileBytes = added.chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  await pg.query(
    `insert into contact_imports (id, organization_id, newsletter_id, plan, dry_run, file_bytes, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      id,
      added.organizationId,
      added.newsletterId,
      JSON.stringify(added.plan),
      added.dryRun,
      fileBytes,
      added.createdBy,
      added.now,
    ],
  )
  for (const [no, bytes] of added.chunks.entries()) {
    await pg.query('insert into contact_import_chunks values ($1, $2, $3)', [id, no, bytes])
  }
  return id
}

/** Claims an import that is waiting or whose lease has expired; undefined if no import is. */
export async function claimImport(pg: Database): Promise<StoredImport | undefined> {
  const { rows } = await pg.query<StoredImport>(
    `with claimed as (
       update contact_imports set state = 'running', attempt = attempt + 1,
         lease_until = now() + interval '${leaseSeconds} seconds'
       where id = (select id from contact_imports
         where state = 'waiting' or state = 'running' and lease_until < now()
         order by created_at limit 1 for update skip locked)
       returning *
     )
     select ${columns} from claimed i join newsletters n on n.id = i.newsletter_id`,
  )
  return rows[0]
}

/** Yields the file in chunks. */
export async function* readImportFile(pg: Database, id: string): AsyncGenerator<Buffer> {
  for (let no = 0; ; no++) {
    const { rows } = await pg.query<{ bytes: Buffer }>(
      'select bytes from contact_import_chunks where import_id = $1 and chunk_no = $2',
      [id, no],
    )
    const [chunk] = rows
    if (chunk === undefined) return
    yield chunk.bytes
  }
}

/** Adds the counts of a batch. Returns false when the lease was lost or the import cancelled. */
export async function noteBatch(
  pg: Database,
  held: { id: string; attempt: number },
  done: {
    rowsDone: number
    bytesDone: number
    created: number
    updated: number
    unchanged: number
    refused: number
    skipped: number
    suppressed: number
    problems: readonly ImportProblem[]
    warnings: readonly ImportProblem[]
  },
): Promise<boolean> {
  const { rowCount } = await pg.query(
    `update contact_imports set rows_done = $3, bytes_done = $4, created = created + $5, updated = updated + $6,
       unchanged = unchanged + $7, refused = refused + $8, skipped = skipped + $10, suppressed = suppressed + $11,
       warned = warned + $12, lease_until = now() + interval '${leaseSeconds} seconds',
       problems = case when jsonb_array_length(problems) < ${problemsKeptMax} then problems || $9::jsonb else problems end,
       warnings = case when jsonb_array_length(warnings) < ${problemsKeptMax} then warnings || $13::jsonb else warnings end
     where id = $1 and attempt = $2 and state = 'running'`,
    [
      held.id,
      held.attempt,
      done.rowsDone,
      done.bytesDone,
      done.created,
      done.updated,
      done.unchanged,
      done.refused,
      JSON.stringify(done.problems.slice(0, problemsKeptMax)),
      done.skipped,
      done.suppressed,
      done.warnings.length,
      JSON.stringify(done.warnings.slice(0, problemsKeptMax)),
    ],
  )
  return rowCount === 1
}

/**
 * Ends an import and deletes its file. After a dry run the file stays, to start the real import.
 */
export async function finishImport(
  pg: Database,
  held: { id: string; attempt: number },
  end: { state: 'done' | 'failed'; reason: string | null; now: Date },
): Promise<void> {
  const { rows } = await pg.query<{ dry_run: boolean }>(
    `update contact_imports set state = $3, reason = $4, finished_at = $5, lease_until = null,
       bytes_done = case when $3 = 'done' then file_bytes else bytes_done end
     where id = $1 and attempt = $2 and state = 'running' returning dry_run`,
    [held.id, held.attempt, end.state, end.reason, end.now],
  )
  if (rows[0]?.dry_run === false) await deleteImportFile(pg, held.id)
}

export async function deleteImportFile(pg: Database, id: string): Promise<void> {
  await pg.query('delete from contact_import_chunks where import_id = $1', [id])
}

export async function cancelStoredImport(
  pg: Database,
  cancelled: { organizationId: string; id: string; now: Date },
): Promise<boolean> {
  const { rowCount } = await pg.query(
    `update contact_imports set state = 'cancelled', finished_at = $3, lease_until = null
     where id = $1 and organization_id = $2 and state in ('waiting', 'running')`,
    [cancelled.id, cancelled.organizationId, cancelled.now],
  )
  if (rowCount === 1) await deleteImportFile(pg, cancelled.id)
  return rowCount === 1
}

/** Restarts a finished dry run as a real import. False for other imports, or without a file. */
export async function startDryRunImport(
  pg: Database,
  tried: { organizationId: string; id: string },
): Promise<boolean> {
  const { rowCount } = await pg.query(
    `update contact_imports set state = 'waiting', dry_run = false, bytes_done = 0, rows_done = 0, created = 0, updated = 0,
       unchanged = 0, refused = 0, skipped = 0, suppressed = 0, warned = 0, problems = '[]', warnings = '[]', finished_at = null
     where id = $1 and organization_id = $2 and dry_run and state = 'done'
       and exists (select from contact_import_chunks where import_id = $1)`,
    [tried.id, tried.organizationId],
  )
  return rowCount === 1
}

export async function findImport(
  pg: Database,
  asked: { organizationId: string; id: string },
): Promise<StoredReport | undefined> {
  const { rows } = await pg.query<StoredReport>(
    `select ${columns}, i.problems, i.warnings from ${joined} where i.organization_id = $1 and i.id = $2`,
    [asked.organizationId, asked.id],
  )
  return rows[0]
}

/** Lists imports, newest first. */
export async function listImports(
  pg: Database,
  {
    organizationId,
    beforeId,
    rowsMax,
  }: { organizationId: string; beforeId: string | undefined; rowsMax: number },
): Promise<StoredImport[]> {
  const { rows } = await pg.query<StoredImport>(
    `select ${columns} from ${joined} where i.organization_id = $1 and ($2::uuid is null or i.id < $2)
     order by i.id desc limit $3`,
    [organizationId, beforeId ?? null, rowsMax],
  )
  return rows
}
