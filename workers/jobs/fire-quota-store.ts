import { inTransaction, type Pool, type PoolClient } from '#platform/postgres.ts'
import { addFirings } from '../alerts/cause-store.ts'
import { wakeRules } from '../alerts/firing-store.ts'
import type { QuotaWarning } from './quota-warning.ts'

/**
 * Lets the rules fire that have a condition about this percentage, or about a lower one that was
 * passed at the same time. Returns whether any has fired, now or in an earlier attempt.
 */
export function fireQuotaRules(
  pg: Pool,
  { project_id, period, percent }: QuotaWarning,
  { reason, nowMs }: { readonly reason: string; readonly nowMs: number },
): Promise<boolean> {
  const cause = `quota:${period}:${percent}`
  return inTransaction(pg, async (client) => {
    const passed = await readPassed(client, { project_id, period, percent })
    // A rule with several of them fires once, because they are one cause.
    const fired = await addFirings(
      client,
      passed.map((value) => ({
        projectId: project_id,
        type: 'quota',
        cause,
        value: String(value),
        reason,
        data: { numbers: { percent, period: period.slice(0, 7) } },
        atMs: nowMs,
      })),
    )
    if (fired.length > 0) await wakeRules(client, fired)
    const { rowCount } = await client.query(
      'select from alert_firings where project_id = $1 and cause = $2 limit 1',
      [project_id, cause],
    )
    return rowCount === 1
  })
}

/** The percentage, and those below it that announce_quota noted in the same transaction. */
async function readPassed(
  client: PoolClient,
  { project_id, period, percent }: QuotaWarning,
): Promise<readonly number[]> {
  const { rows } = await client.query<{ percent: number }>(
    `select lower.percent from quota_warnings reached
     join quota_warnings lower using (project_id, period, at)
     where project_id = $1 and period = $2 and reached.percent = $3 and lower.percent < $3`,
    [project_id, period, percent],
  )
  return [percent, ...rows.map((row) => row.percent)]
}
