/** Rows of `deletions`: requested here, carried out by a job of the workers. */
import { v7 as uuidv7 } from 'uuid'
import type { ProjectId } from '#schemas/ids.ts'
import type { DeletionItem } from '#schemas/rest/deletion.ts'
import type { PersonSubject } from '#schemas/stored-data/person-subject.ts'
import type { Actor } from '../audit/audit-store.ts'
import type { Database } from '../database.ts'
import { hasJobs } from '../jobs/has-jobs.ts'

export interface StoredDeletion {
  readonly id: string
  readonly kind: DeletionItem['kind']
  readonly state: DeletionItem['state']
  readonly organization_id: string
  readonly project_ids: string[]
  readonly subject_hash: Buffer | null
  readonly requested_by: string | null
  readonly requested_via: Actor['via']
  readonly requested_at: Date
  readonly waits_until: Date
  readonly finished_at: Date | null
  readonly counts: Record<string, number>
  readonly remaining: string[]
}

const columns = `id, kind, state, organization_id, project_ids, subject_hash, requested_by, requested_via,
  requested_at, waits_until, finished_at, counts, remaining`

/** As long as a silent ingest instance is waited for before its leases are settled. */
const waitInterval = '24 hours'

export interface NewDeletion {
  readonly kind: DeletionItem['kind']
  readonly projects: readonly DeletedProject[]
  readonly subject?: PersonSubject
  readonly subjectHash?: Buffer
  /** What the job cannot reach and so stays elsewhere. */
  readonly remaining: readonly string[]
}

export interface DeletedProject {
  readonly id: string
  readonly dsn_id: ProjectId
}

/** Adds the row and its job. Call it in the transaction that makes the subject unusable. */
export async function addDeletion(
  client: Database,
  actor: Actor,
  deletion: NewDeletion,
): Promise<StoredDeletion> {
  const id = uuidv7()
  const { rows } = await client.query<StoredDeletion>(
    `insert into deletions (id, kind, organization_id, project_ids, project_numbers, subject, subject_hash,
       requested_by, requested_via, waits_until, remaining)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + interval '${waitInterval}', $10)
     returning ${columns}`,
    [
      id,
      deletion.kind,
      actor.organizationId,
      deletion.projects.map((project) => project.id),
      deletion.projects.map((project) => project.dsn_id),
      deletion.subject === undefined ? null : JSON.stringify(deletion.subject),
      deletion.subjectHash ?? null,
      actor.personId,
      actor.via,
      JSON.stringify(deletion.remaining),
    ],
  )
  if (await hasJobs(client)) {
    await client.query(
      `select graphile_worker.add_job('run_deletion', json_build_object('id', $1::text), job_key := 'deletion:' || $1)`,
      [id],
    )
  }
  return rows[0]!
}

/** Notes rows that were deleted with the request itself. */
export async function noteCounts(
  client: Database,
  id: string,
  counts: Readonly<Record<string, number>>,
): Promise<StoredDeletion> {
  const noted = Object.fromEntries(Object.entries(counts).filter(([, rows]) => rows > 0))
  const { rows } = await client.query<StoredDeletion>(
    `update deletions set counts = $2 where id = $1 returning ${columns}`,
    [id, JSON.stringify(noted)],
  )
  return rows[0]!
}

/** Workers drop records of these projects from now on. */
export async function addDeletedProjects(
  client: Database,
  deletionId: string,
  projects: readonly DeletedProject[],
): Promise<void> {
  await client.query(
    `insert into deleted_projects (dsn_id, project_id, deletion_id)
     select number, id, $1 from unnest($2::bigint[], $3::uuid[]) as project (number, id)`,
    [deletionId, projects.map(({ dsn_id }) => dsn_id), projects.map(({ id }) => id)],
  )
}

export async function findProjectDeletion(
  pg: Database,
  project: { readonly organizationId: string; readonly id: string },
): Promise<StoredDeletion | undefined> {
  const { rows } = await pg.query<StoredDeletion>(
    `select ${columns} from deletions
     where organization_id = $1 and id = (select deletion_id from deleted_projects where project_id = $2)`,
    [project.organizationId, project.id],
  )
  return rows[0]
}

export async function findOrganizationDeletion(
  pg: Database,
  organizationId: string,
): Promise<StoredDeletion | undefined> {
  const { rows } = await pg.query<StoredDeletion>(
    `select ${columns} from deletions where organization_id = $1 and kind = 'organization'`,
    [organizationId],
  )
  return rows[0]
}

/** Erasures of an organization that have not ended. */
export async function countUnfinishedErasures(
  pg: Database,
  organizationId: string,
): Promise<number> {
  const { rows } = await pg.query<{ count: number }>(
    `select count(*)::int as count from deletions
     where finished_at is null and organization_id = $1 and kind = 'person'`,
    [organizationId],
  )
  return rows[0]?.count ?? 0
}

/** @param organizationId undefined for the operator of the installation. */
export async function findDeletion(
  pg: Database,
  deletion: { readonly organizationId: string | undefined; readonly id: string },
): Promise<StoredDeletion | undefined> {
  const { rows } = await pg.query<StoredDeletion>(
    `select ${columns} from deletions
     where id = $1 and ($2::uuid is null or organization_id = $2)`,
    [deletion.id, deletion.organizationId ?? null],
  )
  return rows[0]
}

/** Newest first. */
export async function listDeletions(
  pg: Database,
  list: {
    readonly organizationId: string | undefined
    readonly beforeId: string | undefined
    readonly rowsMax: number
  },
): Promise<StoredDeletion[]> {
  const { rows } = await pg.query<StoredDeletion>(
    `select ${columns} from deletions
     where ($1::uuid is null or organization_id = $1) and ($2::uuid is null or id < $2)
     order by id desc limit $3`,
    [list.organizationId ?? null, list.beforeId ?? null, list.rowsMax],
  )
  return rows
}
