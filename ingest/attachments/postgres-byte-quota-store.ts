import type { Pool } from '#platform/postgres.ts'
import type { ByteQuotaStore } from './byte-quota.ts'

export function postgresByteQuotaStore(pool: Pool): ByteQuotaStore {
  return {
    lease: async ({ projectId, day, bytesMax, needed, wanted }) => {
      const { rows } = await pool.query<{ granted: string }>(
        'select lease_attachment_bytes($1, $2, $3, $4, $5) as granted',
        [projectId, day, bytesMax, needed, wanted],
      )
      return Number(rows[0]?.granted ?? 0)
    },
    giveBack: async (projectId, day, bytes) => {
      await pool.query(
        `update attachment_usage set leased_bytes = greatest(0, leased_bytes - $3)
         where project_id = $1 and day = $2`,
        [projectId, day, bytes],
      )
    },
  }
}
