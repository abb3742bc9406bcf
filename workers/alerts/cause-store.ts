import type { Pool, PoolClient } from '#platform/postgres.ts'
import type { AlertCondition } from '#schemas/rest/alerts/condition.ts'
import { storedJson, storedText } from '#schemas/stored-text.ts'
import type { FiringData } from './firing.ts'

/** Something other than an issue that rules of a project have conditions about. */
export interface FiringCause {
  readonly projectId: number
  readonly type: AlertCondition['type']
  /** The same for every attempt. */
  readonly cause: string
  /** What a condition may choose by, as add_firings says (0041-alerts.sql). */
  readonly value?: string
  readonly reason: string
  readonly data: FiringData
  readonly atMs: number
}

/**
 * Lets the rules fire that have a condition about the causes. Returns them for `wakeRules`, which a
 * transaction calls once, at its end.
 */
export async function addFirings(
  client: PoolClient | Pool,
  causes: readonly FiringCause[],
): Promise<readonly string[]> {
  if (causes.length === 0) return []
  const { rows } = await client.query<{ id: string }>(
    `select distinct id from jsonb_to_recordset($1) as given (project bigint, type text, cause text,
       value text, reason text, data jsonb, at timestamptz)
     cross join lateral unnest(add_firings(project, type, cause, value, reason, data, at)) as id`,
    [JSON.stringify(causes.map(rowOf))],
  )
  return rows.map(({ id }) => id)
}

function rowOf({ projectId, type, cause, value, reason, data, atMs }: FiringCause) {
  return {
    project: projectId,
    type,
    cause: storedText(cause),
    value,
    reason: storedText(reason),
    data: JSON.parse(storedJson(data)),
    at: new Date(atMs).toISOString(),
  }
}
