/**
 * Settles the quota of a range, as part of its commit. A lease's units were counted as used when it
 * was granted; here its records are counted, and units whose records became no event are returned.
 * Locks leases by number and then usage by project and period, like every other transaction
 * (0004-quota.sql).
 */
import type { PoolClient } from '#platform/postgres.ts'
import type { LeaseCount } from '../digest/lease-tally.ts'

interface LeaseRow {
  readonly lease_no: number
  readonly project_id: number
  readonly period: string
  readonly state: 'open' | 'closed' | 'settled'
}

/** Events that a range adds to the usage of a project in a month. */
interface UsageChange {
  readonly projectId: number
  readonly period: string
  delta: number
}

export async function settleLeases(
  client: PoolClient,
  counts: readonly LeaseCount[],
): Promise<void> {
  if (counts.length === 0) return
  const leases = await noteRecords(client, counts)
  const changes = new Map<string, UsageChange>()
  for (const count of counts) {
    const known = leases.get(count.leaseNo)
    // A restored Postgres gives numbers again that other projects' records still name.
    const lease = known?.project_id === count.projectId ? known : undefined
    const projectId = lease?.project_id ?? count.projectId
    const period = lease?.period ?? count.receivedMonth
    const key = `${projectId} ${period}`
    const change = changes.get(key) ?? { projectId, period, delta: 0 }
    change.delta += deltaOf(count, lease)
    changes.set(key, change)
  }
  const effective = [...changes.values()].filter(({ delta }) => delta !== 0)
  if (effective.length > 0) await changeUsage(client, effective)
}

/**
 * Units of an open or closed lease were counted, so those that became no event are returned. Those
 * of a settled or unknown lease were returned with it, and records without a lease were never
 * counted.
 */
function deltaOf({ records, accepted }: LeaseCount, lease: LeaseRow | undefined): number {
  return lease === undefined || lease.state === 'settled' ? accepted : accepted - records
}

async function noteRecords(
  client: PoolClient,
  counts: readonly LeaseCount[],
): Promise<Map<number, LeaseRow>> {
  const leased = counts.filter(({ leaseNo }) => leaseNo !== 0)
  if (leased.length === 0) return new Map()
  const { rows } = await client.query<LeaseRow>(
    `select lease_no, project_id, period::text, state from quota_leases
     where lease_no = any($1) order by lease_no for update`,
    [leased.map(({ leaseNo }) => leaseNo)],
  )
  await client.query(
    `update quota_leases set seen = seen + sum.records
     from (
       select lease_no, project_id, sum(records) as records
       from unnest($1::bigint[], $2::int[], $3::bigint[]) as count (lease_no, records, project_id)
       group by lease_no, project_id
     ) sum
     where quota_leases.lease_no = sum.lease_no and quota_leases.project_id = sum.project_id`,
    [
      leased.map(({ leaseNo }) => leaseNo),
      leased.map(({ records }) => records),
      leased.map(({ projectId }) => projectId),
    ],
  )
  return new Map(rows.map((row) => [row.lease_no, row]))
}

/** A deleted project has no usage rows, so there is nothing to change. */
async function changeUsage(client: PoolClient, changes: readonly UsageChange[]): Promise<void> {
  const inOrder = [...changes].sort(
    (a, b) => a.projectId - b.projectId || (a.period < b.period ? -1 : 1),
  )
  const columns = [
    inOrder.map(({ projectId }) => projectId),
    inOrder.map(({ period }) => period),
    inOrder.map(({ delta }) => delta),
  ]
  await client.query(
    `insert into quota_usage (project_id, period)
     select dsn_id, period from unnest($1::bigint[], $2::date[]) as change (project_id, period)
     join projects on dsn_id = project_id
     order by dsn_id, period
     on conflict do nothing`,
    columns.slice(0, 2),
  )
  await client.query(
    `with locked as (
       select project_id, period from quota_usage
       where (project_id, period) in (select * from unnest($1::bigint[], $2::date[]))
       order by project_id, period for update
     )
     -- Never below zero: a wrong usage must not stop a partition.
     update quota_usage set used = greatest(0, used + delta)
     from unnest($1::bigint[], $2::date[], $3::bigint[]) as change (project_id, period, delta)
     join locked using (project_id, period)
     where quota_usage.project_id = change.project_id and quota_usage.period = change.period`,
    columns,
  )
}
