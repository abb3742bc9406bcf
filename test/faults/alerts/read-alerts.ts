/** Reads what Postgres stores of the alerts of one project. */
import type { Pool } from '#platform/postgres.ts'

export interface StoredFiring {
  readonly ruleId: string
  readonly issueId: string
  readonly cause: string
  readonly notificationId: string | null
}

export interface StoredDelivery {
  /** Also the `webhook-id`. */
  readonly id: string
  readonly ruleId: string
  readonly targetId: string
  readonly notificationId: string
  readonly state: string
  readonly isFinished: boolean
  /** Attempts that the row lists and that were answered. */
  readonly answered: number
  readonly lastStatus: number | null
  /** JSON of the payload. */
  readonly body: string
  /** Firings that the payload stands for. */
  readonly told: number
}

export interface StoredAlerts {
  readonly issues: readonly { readonly id: string; readonly count: number }[]
  readonly firings: readonly StoredFiring[]
  readonly deliveries: readonly StoredDelivery[]
  /** Events that a rule has counted, and in how many steps of its window. */
  readonly counts: readonly {
    readonly ruleId: string
    readonly issueId: string
    readonly events: number
    readonly steps: number
  }[]
  readonly disabledTargets: number
}

interface DeliveryRow {
  id: string
  rule_id: string
  target_id: string
  notification_id: string
  state: string
  is_finished: boolean
  attempts: readonly { status: number | null }[]
  payload: { data: { digest?: { count: number } } }
}

export async function readAlerts(pg: Pool, projectId: number): Promise<StoredAlerts> {
  const client = await pg.connect()
  try {
    // One snapshot: what a transaction writes is seen whole or not at all.
    await client.query('begin isolation level repeatable read read only')
    const issues = await client.query<{ id: string; count: number }>(
      'select id, count from issues where project_id = $1 and merged_into is null',
      [projectId],
    )
    const firings = await client.query<StoredFiring>(
      `select rule_id as "ruleId", issue_id as "issueId", cause, notification_id as "notificationId"
       from alert_firings where project_id = $1`,
      [projectId],
    )
    const deliveries = await client.query<DeliveryRow>(
      `select d.id, d.rule_id, target_id, notification_id, state, attempts, payload,
         finished_at is not null and next_attempt_at is null as is_finished
       from notification_deliveries d join alert_rules r on r.id = d.rule_id
       where r.project_id = $1`,
      [projectId],
    )
    const counts = await client.query<StoredAlerts['counts'][number]>(
      `select rule_id as "ruleId", issue_id as "issueId", sum(count)::int as events,
         count(*)::int as steps
       from alert_counts join alert_rules r on r.id = rule_id
       where project_id = $1 group by rule_id, issue_id`,
      [projectId],
    )
    const disabled = await client.query<{ count: number }>(
      `select count(*)::int as count from notification_targets t join alert_rules r on r.id = rule_id
       where project_id = $1 and disabled_at is not null`,
      [projectId],
    )
    await client.query('commit')
    return {
      issues: issues.rows,
      firings: firings.rows,
      deliveries: deliveries.rows.map(deliveryOf),
      counts: counts.rows,
      disabledTargets: disabled.rows[0]?.count ?? 0,
    }
  } finally {
    client.release()
  }
}

function deliveryOf(row: DeliveryRow): StoredDelivery {
  const { id, rule_id, target_id, notification_id, state, is_finished, attempts, payload } = row
  return {
    id,
    ruleId: rule_id,
    targetId: target_id,
    notificationId: notification_id,
    state,
    isFinished: is_finished,
    answered: attempts.filter(({ status }) => status !== null).length,
    lastStatus: attempts.at(-1)?.status ?? null,
    body: JSON.stringify(payload),
    told: payload.data.digest?.count ?? 1,
  }
}
