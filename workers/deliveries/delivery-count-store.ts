import type { Pool } from '#platform/postgres.ts'

export interface DeliveryCounts {
  readonly pending: number
  readonly lateSeconds: number
  readonly targetsOpen: number
  readonly targetsDisabled: number
}

const countMax = 100_000
/** Due deliveries that are looked at to find the oldest one of a target that may be sent to. */
const dueRowsMax = 10_000

export async function countDeliveries(pg: Pool, now: Date): Promise<DeliveryCounts> {
  const { rows } = await pg.query<DeliveryCounts>(
    `select
       (select count(*)::int from (
          select from notification_deliveries where state = 'pending' limit ${countMax}) as counted) as pending,
       (select coalesce(max(extract(epoch from $1 - due.next_attempt_at))::float8, 0) from (
          select target_id, next_attempt_at from notification_deliveries
           where state = 'pending' and next_attempt_at <= $1 order by next_attempt_at limit ${dueRowsMax}) as due
         join notification_targets t on t.id = due.target_id
        where t.open_until is null or t.open_until <= $1) as "lateSeconds",
       (select count(*)::int from notification_targets where $1 < open_until) as "targetsOpen",
       (select count(*)::int from notification_targets where disabled_at is not null) as "targetsDisabled"`,
    [now],
  )
  return rows[0]!
}
