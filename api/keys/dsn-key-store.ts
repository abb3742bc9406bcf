/** DSN keys. A trigger notifies ingest of every change, so writing the row is enough. */
import { randomBytes } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { CodedError } from '#schemas/error-codes.ts'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import type { DsnKeyChange } from '#schemas/rest/dsn-key.ts'
import type { Database } from '../database.ts'

export interface StoredDsnKey {
  readonly id: string
  /** The number of the key in records of ingest and in rows of events. */
  readonly key_no: DsnKeyNo
  readonly label: string | null
  readonly public_key: string
  readonly status: 'active' | 'disabled'
  readonly rate_limit: number | null
  readonly last_used_at: Date | null
  readonly created_at: Date
}

/** DSN keys of one project. Ingest keeps every key in memory. */
export const keysPerProjectMax = 200
const columns =
  'id, key_no, label, public_key, status, events_per_minute as rate_limit, last_used_at, created_at'

export async function listProjectKeys(pg: Database, projectId: string): Promise<StoredDsnKey[]> {
  const { rows } = await pg.query<StoredDsnKey>(
    `select ${columns} from dsn_keys where project_id = $1 order by key_no limit ${keysPerProjectMax}`,
    [projectId],
  )
  return rows
}

/**
 * The default key of a project has no label; other labels name a component. Throws `conflict` when
 * the project has `keysPerProjectMax` keys.
 */
export async function addDsnKey(
  pg: Database,
  key: { projectId: string; label: string | null; perMinute?: number | null },
): Promise<StoredDsnKey> {
  const publicKey = randomBytes(16).toString('hex')
  const { rows } = await pg.query<StoredDsnKey>(
    `insert into dsn_keys (id, project_id, public_key, label, events_per_minute)
     select $1, $2, $3, $4, $5
     where (select count(*) from dsn_keys where project_id = $2) < ${keysPerProjectMax}
     returning ${columns}`,
    [uuidv7(), key.projectId, publicKey, key.label, key.perMinute ?? null],
  )
  const [added] = rows
  if (added !== undefined) return added
  throw new CodedError('conflict', { message: `A project has at most ${keysPerProjectMax} keys.` })
}

export interface NamedDsnKey {
  readonly id: string
  readonly project_id: string
  /** The project number in DSNs. */
  readonly dsn_id: ProjectId
}

/** Finds a key of the organization by its id or its public key. */
export async function findNamedKey(
  pg: Database,
  key: { organizationId: string; named: string },
): Promise<NamedDsnKey | undefined> {
  const { rows } = await pg.query<NamedDsnKey>(
    `select dsn_keys.id, project_id, dsn_id from dsn_keys join projects on projects.id = project_id
     where organization_id = $1 and (dsn_keys.id::text = lower($2) or public_key = lower($2))`,
    [key.organizationId, key.named],
  )
  return rows[0]
}

const changed = {
  label: 'label',
  rate_limit: 'events_per_minute',
  status: 'status',
} as const satisfies Record<keyof DsnKeyChange, string>

/** Changes the given fields only. Undefined when the project has no such key. */
export async function changeProjectKey(
  pg: Database,
  key: { projectId: string; id: string },
  change: DsnKeyChange,
): Promise<StoredDsnKey | undefined> {
  const names = (Object.keys(changed) as (keyof DsnKeyChange)[]).filter(
    (name) => change[name] !== undefined,
  )
  const sets = names.map((name, index) => `${changed[name]} = $${index + 3}`)
  const { rows } = await pg.query<StoredDsnKey>(
    `update dsn_keys set ${sets.length === 0 ? 'id = id' : sets.join(', ')}
     where project_id = $1 and id = $2 returning ${columns}`,
    [key.projectId, key.id, ...names.map((name) => change[name])],
  )
  return rows[0]
}

/** False when the project has no such key. Its events and counts stay. */
export async function deleteProjectKey(
  pg: Database,
  key: { projectId: string; id: string },
): Promise<boolean> {
  const { rowCount } = await pg.query('delete from dsn_keys where project_id = $1 and id = $2', [
    key.projectId,
    key.id,
  ])
  return rowCount === 1
}
