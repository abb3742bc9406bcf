import assert from 'node:assert'
import type { Pool } from '#platform/postgres.ts'
import { type DsnKeyNo, type ProjectId, type PublicKey, projectIdMax } from '#schemas/ids.ts'
import { attachmentPolicyOf } from '../attachments/attachment-policy.ts'
import type { DsnKey, KeyStore } from './key-cache.ts'

interface KeyRow {
  readonly public_key: PublicKey
  readonly key_no: number
  readonly dsn_id: number
  readonly label: string | null
  readonly status: string
  readonly allowed_origins: readonly string[] | null
  readonly attachments: unknown
}

interface WaitingLoad {
  readonly publicKey: PublicKey
  readonly resolve: (key: DsnKey | undefined) => void
  readonly reject: (error: unknown) => void
}

/** Keys in one statement. */
const batchKeysMax = 500
/** Statements in flight at a time. Further keys collect for the next one. */
const batchesMax = 2

export class PostgresKeyStore implements KeyStore {
  readonly #pool: Pool
  readonly #waiting: WaitingLoad[] = []
  #batchesUnderway = 0

  constructor(pool: Pool) {
    this.#pool = pool
  }

  load(publicKey: PublicKey): Promise<DsnKey | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ publicKey, resolve, reject })
      this.#sendWaiting()
    })
  }

  /** Runs in the background. A failed write is made up for by the next use. */
  async markUsed(keyNos: readonly DsnKeyNo[]): Promise<void> {
    if (keyNos.length === 0) return
    await this.#pool.query(
      `update dsn_keys set last_used_at = now()
        where key_no = any($1) and (last_used_at is null or last_used_at < now() - interval '50 seconds')`,
      [keyNos],
    )
  }

  #sendWaiting(): void {
    while (this.#waiting.length > 0 && this.#batchesUnderway < batchesMax) {
      void this.#send(this.#waiting.splice(0, batchKeysMax))
    }
  }

  async #send(batch: readonly WaitingLoad[]): Promise<void> {
    this.#batchesUnderway += 1
    try {
      const rows = await this.#rowsOf(batch.map(({ publicKey }) => publicKey))
      for (const load of batch) settle(load, rows.get(load.publicKey))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    this.#batchesUnderway -= 1
    this.#sendWaiting()
  }

  async #rowsOf(publicKeys: readonly PublicKey[]): Promise<Map<PublicKey, KeyRow>> {
    const { rows } = await this.#pool.query<KeyRow>(
      `select k.public_key, k.key_no, p.dsn_id, k.label, k.status,
              p.settings -> 'allowed_origins' as allowed_origins,
              p.settings -> 'attachments' as attachments
         from dsn_keys k join projects p on p.id = k.project_id
        where k.public_key = any($1)`,
      [publicKeys],
    )
    return new Map(rows.map((row) => [row.public_key, row]))
  }
}

/** An invalid row fails its own load only. */
function settle({ resolve, reject }: WaitingLoad, row: KeyRow | undefined): void {
  try {
    resolve(row && keyOf(row))
  } catch (error) {
    reject(error)
  }
}

function keyOf(row: KeyRow): DsnKey {
  // A larger id does not fit into a record.
  assert(Number.isInteger(row.dsn_id))
  assert(0 < row.dsn_id)
  assert(row.dsn_id <= projectIdMax)
  const attachments = attachmentPolicyOf(row.attachments)
  return {
    publicKey: row.public_key,
    keyNo: row.key_no as DsnKeyNo,
    projectId: row.dsn_id as ProjectId,
    projectText: String(row.dsn_id),
    component: row.label ?? undefined,
    active: row.status === 'active',
    allowedOrigins: row.allowed_origins ?? [],
    ...(attachments === undefined ? {} : { attachments }),
  }
}
