import { inTransaction, type Pool } from '#platform/postgres.ts'
import { addFirings } from '../alerts/cause-store.ts'
import { wakeRules } from '../alerts/firing-store.ts'
import type { QuotaWarning } from './quota-warning.ts'

/**
 * Lets the rules fire that have a condition about this percentage. Returns whether any has fired,
 * now or in an earlier attempt.
 */
export function fireQuotaRules(
  pg: Pool,
  { project_id, period, percent }: QuotaWarning,
  { reason, nowMs }: { readonly reason: string; readonly nowMs: number },
): Promise<boolean> {
  const cause = `quota:${period}:${percent}`
  return inTransaction(pg, async (client) => {
    const fired = await addFirings(client, [
      {
        projectId: project_id,
        type: 'quota',
        cause,
        value: String(percent),
        reason,
        data: { numbers: { percent, period: period.slice(0, 7) } },
        atMs: nowMs,
      },
    ])
    if (fired.length > 0) await wakeRules(client, fired)
    const { rowCount } = await client.query(
      'select from alert_firings where project_id = $1 and cause = $2 limit 1',
      [project_id, cause],
    )
    return rowCount === 1
  })
}
