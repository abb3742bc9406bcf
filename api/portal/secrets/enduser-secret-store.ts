/** The secrets that sign the tokens of a project's users. Sealed at rest; at most two are live, so that one can follow the other. */
import { v7 as uuidv7 } from 'uuid'
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

/** In a transaction that holds the project. Undefined: two are live already. */
export async function addSecret(
  pg: Database,
  secret: {
    projectId: string
    prefix: string
    /** The id is part of what is sealed. */
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

/** Undefined: there is none. One that is retired stays as it was. */
export async function retireSecret(
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
