/** The row of a deletion: its progress while it runs, and its receipt afterwards. */
import type { Pool, PoolClient } from '#platform/postgres.ts'
import { PersonSubject } from '#schemas/stored-data/person-subject.ts'
import type { Deletion, DeletionKind, DeletionState, StateChange } from './run-deletion.ts'

interface DeletionRow {
  readonly id: string
  readonly kind: DeletionKind
  readonly state: DeletionState
  readonly organization_id: string
  readonly project_ids: string[]
  readonly project_numbers: string[]
  readonly subject: unknown
  readonly requested_at: Date
  readonly waits_until: Date
  readonly steps: string[]
}

export async function readDeletion(pg: Pool, id: string): Promise<Deletion | undefined> {
  const { rows } = await pg.query<DeletionRow>(
    `select id, kind, state, organization_id, project_ids, project_numbers, subject, requested_at,
       waits_until, steps from deletions where id = $1`,
    [id],
  )
  const row = rows[0]
  if (row === undefined) return undefined
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    organizationId: row.organization_id,
    projectIds: row.project_ids,
    projectNumbers: row.project_numbers.map(Number),
    subject: row.subject === null ? undefined : PersonSubject.parse(row.subject),
    requestedAt: row.requested_at,
    waitsUntil: row.waits_until,
    steps: row.steps,
  }
}

export async function listUnfinished(pg: Pool): Promise<string[]> {
  const { rows } = await pg.query<{ id: string }>(
    'select id from deletions where finished_at is null order by requested_at, id',
  )
  return rows.map(({ id }) => id)
}

export async function finishStep(pg: Pool, id: string, step: string): Promise<void> {
  await pg.query(
    `update deletions set steps = array_append(steps, $2) where id = $1 and not $2 = any(steps)`,
    [id, step],
  )
}

export async function enterState(
  pg: Pool,
  id: string,
  { from, to, remaining }: StateChange,
): Promise<void> {
  await pg.query(
    `update deletions set state = $3, remaining = remaining || $4::jsonb
     where id = $1 and state = $2`,
    [id, from, to, JSON.stringify(remaining)],
  )
}

/** Adds to the rows of a table, in the transaction that changed them. */
export async function addCount(
  client: Pick<PoolClient, 'query'>,
  id: string,
  counted: { readonly table: string; readonly rows: number },
): Promise<void> {
  if (counted.rows === 0) return
  await client.query(
    `update deletions set counts = counts
       || jsonb_build_object($2::text, coalesce((counts ->> $2)::bigint, 0) + $3::bigint)
     where id = $1`,
    [id, counted.table, counted.rows],
  )
}

/** Sets the rows of a table, unless an earlier attempt at the same step has set them. */
export async function setCountOnce(
  pg: Pool,
  id: string,
  counted: { readonly table: string; readonly rows: number },
): Promise<void> {
  await pg.query(
    `update deletions set counts = jsonb_build_object($2::text, $3::bigint) || counts
     where id = $1`,
    [id, counted.table, counted.rows],
  )
}

/**
 * The last step: the placeholder organization of a deleted project goes, and with it nothing that
 * was not counted before. The subject is forgotten in the statement that makes the row a receipt.
 */
export async function finishDeletion(pg: Pool, { id }: Deletion): Promise<void> {
  await pg.query('delete from organizations where id = $1', [id])
  await pg.query(
    `update deletions set state = 'done', subject = null, finished_at = now()
     where id = $1 and finished_at is null`,
    [id],
  )
}
