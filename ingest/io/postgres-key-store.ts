import assert from 'node:assert'
import type { Pool } from '#platform/postgres.ts'
import { type DsnKeyNo, type ProjectId, type PublicKey, projectIdMax } from '#schemas/ids.ts'
import type { DsnKey, KeyStore } from '../keys/key-cache.ts'

interface KeyRow {
  readonly key_no: number
  readonly dsn_id: number
  readonly label: string | null
  readonly status: string
  readonly allowed_origins: readonly string[] | null
}

export class PostgresKeyStore implements KeyStore {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async load(publicKey: PublicKey): Promise<DsnKey | undefined> {
    const { rows } = await this.#pool.query<KeyRow>(
      `select k.key_no, p.dsn_id, k.label, k.status,
              p.settings -> 'allowed_origins' as allowed_origins
         from dsn_keys k join projects p on p.id = k.project_id
        where k.public_key = $1`,
      [publicKey],
    )
    const row = rows[0]
    if (row === undefined) return undefined
    // A larger one would not fit into a record on the bus.
    assert(Number.isInteger(row.dsn_id))
    assert(0 < row.dsn_id)
    assert(row.dsn_id <= projectIdMax)
    return {
      publicKey,
      keyNo: row.key_no as DsnKeyNo,
      projectId: row.dsn_id as ProjectId,
      projectText: String(row.dsn_id),
      component: row.label ?? undefined,
      active: row.status === 'active',
      allowedOrigins: row.allowed_origins ?? [],
    }
  }

  /** Written behind the requests; a lost write is made good by the next use. */
  async markUsed(keyNos: readonly DsnKeyNo[]): Promise<void> {
    if (keyNos.length === 0) return
    await this.#pool.query(
      `update dsn_keys set last_used_at = now()
        where key_no = any($1) and (last_used_at is null or last_used_at < now() - interval '50 seconds')`,
      [keyNos],
    )
  }

  async ping(): Promise<boolean> {
    return this.#pool.query('select 1 from dsn_keys limit 1').then(
      () => true,
      () => false,
    )
  }
}
