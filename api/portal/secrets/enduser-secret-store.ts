/**
 * Secrets that sign the tokens of a portal's users. They are sealed; two may be live, for rotation.
 */
import { v7 as uuidv7 } from 'uuid'
import type { EndUserSecret } from '#schemas/rest/portal/portal-settings.ts'
import type { Database } from '../../database.ts'

export const liveSecretsMax = 2

export interface SecretRow {
  readonly id: string
  readonly prefix: string
  readonly createdAt: Date
  readonly retiredAt: Date | null
}

const columns = 'id, prefix, created_at "createdAt", retired_at "retiredAt"'
const secretsListedMax = 100

export async function listSecrets(pg: Database, projectId: string): Promise<SecretRow[]> {
  const { rows } = await pg.query<SecretRow>(
    `select ${columns} from enduser_secrets where project_id = $1
     order by retired_at is not null, created_at desc, id desc limit ${secretsListedMax}`,
    [projectId],
  )
  return rows
}

/** In a transaction that has locked the portal. Undefined: `liveSecretsMax` secrets are live. */
export async function addSecret(
  pg: Database,
  secret: {
    projectId: string
    prefix: string
    /** The sealed bytes are bound to the id of the row. */
    seal: (id: string) => Uint8Array
    now: Date
  },
): Promise<SecretRow | undefined> {
  const id = uuidv7()
  const { rows } = await pg.query<SecretRow>(
    `insert into enduser_secrets (id, project_id, sealed_secret, prefix, created_at)
     select $1, $2, $3, $4, $5
     where (select count(*) from enduser_secrets where project_id = $2 and retired_at is null) < ${liveSecretsMax}
     returning ${columns}`,
    [id, secret.projectId, secret.seal(id), secret.prefix, secret.now],
  )
  return rows[0]
}

/** A retired secret keeps its time. Undefined: there is no such secret. */
export async function setSecretRetired(
  pg: Database,
  secret: { projectId: string; id: string; now: Date },
): Promise<SecretRow | undefined> {
  const { rows } = await pg.query<SecretRow>(
    `update enduser_secrets set retired_at = coalesce(retired_at, $3) where id = $1 and project_id = $2
     returning ${columns}`,
    [secret.id, secret.projectId, secret.now],
  )
  return rows[0]
}

/** A secret as the API and the command line show it. */
export function secretView(row: SecretRow): EndUserSecret {
  return {
    id: row.id,
    prefix: row.prefix,
    created_at: row.createdAt.toISOString(),
    retired_at: row.retiredAt?.toISOString() ?? null,
  }
}
