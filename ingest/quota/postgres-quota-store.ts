/**
 * The quota in Postgres. The statements call functions of the migration 0004-quota.sql, which
 * documents the order of their locks. Each call is one round trip and one transaction.
 */
import { failpoint } from '#platform/failpoint.ts'
import type { Pool } from '#platform/postgres.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import type { DsnKeyNo } from '#schemas/ids.ts'
import type {
  LeaseGrant,
  LeaseRequest,
  LeaseReturn,
  MinuteGrant,
  MinuteRequest,
  QuotaStore,
} from './quota-store.ts'

interface GrantRow {
  readonly request_no: number
  readonly lease_no: number
  readonly units: number
  /** Before the grant. Null without a limit. */
  readonly remaining: number | null
  readonly monthly_events: number | null
  readonly events_per_minute: number | null
  readonly key_limits: Readonly<Record<string, number>> | null
}

interface MinuteRow {
  /** Position in the batch, from 1. */
  readonly request_no: number
  readonly units: number
  readonly per_minute: number | null
}

/**
 * `quota_usage` is read as it was before the grants. Once nothing remains, nothing is announced:
 * processes that refuse events ask once a second.
 */
const grantStatement = `
  with granted as materialized (select * from grant_quota($1, $2, $3, $4, $5, $6)),
    asked as (select * from unnest($2::bigint[], $3::bigint[], $4::date[], $6::int[])
      as r (request_no, project_id, period, wanted)),
    answers as (
      select g.*, a.project_id, a.wanted, g.monthly_events - coalesce(u.used, 0) as remaining
      from granted g join asked a using (request_no)
      left join quota_usage u on u.project_id = a.project_id and u.period = a.period
    )
  select request_no, lease_no, units, monthly_events, events_per_minute, key_limits, remaining,
    case when 0 < remaining and remaining - units < 4 * wanted
      then pg_notify('quota_limits', project_id::text) end
  from answers`

export class PostgresQuotaStore implements QuotaStore {
  readonly #pool: Pool
  readonly #firstPartition: number

  /** @param layout the one to which the instances publish. */
  constructor(pool: Pool, layout: Pick<IngestLayout, 'first'> = { first: 0 }) {
    this.#pool = pool
    this.#firstPartition = layout.first
  }

  async grant(instanceId: string, requests: readonly LeaseRequest[]): Promise<LeaseGrant[]> {
    failpoint('ingest.before_grant')
    const { rows } = await this.#pool.query<GrantRow>(grantStatement, [
      instanceId,
      requests.map((request) => request.requestNo),
      requests.map((request) => request.projectId),
      requests.map((request) => request.period),
      requests.map((request) => request.unitsNeeded),
      requests.map((request) => request.unitsWanted),
    ])
    failpoint('ingest.after_grant')
    const byNo = new Map(rows.map((row) => [row.request_no, row]))
    return requests.map(({ requestNo }) => grantOf(byNo.get(requestNo)))
  }

  async giveBack(instanceId: string, returns: readonly LeaseReturn[]): Promise<void> {
    await this.#pool.query('select give_back_quota($1, $2, $3)', [
      instanceId,
      returns.map((lease) => lease.leaseNo),
      returns.map((lease) => lease.charged),
    ])
  }

  async grantMinutes(requests: readonly MinuteRequest[]): Promise<MinuteGrant[]> {
    const { rows } = await this.#pool.query<MinuteRow>(
      'select * from grant_minutes($1, $2, $3, $4, $5)',
      [
        requests.map((request) => request.scope),
        requests.map((request) => request.scopeId),
        requests.map((request) => new Date(request.minuteMs)),
        requests.map((request) => request.unitsNeeded),
        requests.map((request) => request.unitsWanted),
      ],
    )
    const byNo = new Map(rows.map((row) => [row.request_no, row]))
    return requests.map((_, index) => {
      const row = byNo.get(index + 1)
      if (row === undefined) throw new Error('a request for units of a minute has no answer')
      return { units: row.units, limit: row.per_minute ?? undefined }
    })
  }

  async deleteOld(beforeMs: number): Promise<void> {
    await this.#pool.query('select forget_quota($1)', [new Date(beforeMs)])
  }

  /** Names the layout again: a database that was restored does not know the instance. */
  async touchInstance(instanceId: string): Promise<void> {
    await this.#pool.query(
      `insert into ingest_boots (boot_id, first_partition) values ($1, $2)
         on conflict (boot_id) do update
         set seen_at = now(), settled_at = null, first_partition = excluded.first_partition`,
      [instanceId, this.#firstPartition],
    )
  }

  async settleInstance(instanceId: string): Promise<void> {
    await this.#pool.query('select settle_boot($1)', [instanceId])
  }
}

function grantOf(row: GrantRow | undefined): LeaseGrant {
  if (row === undefined) throw new Error('a request for quota has no answer')
  const keyLimits = Object.entries(row.key_limits ?? {})
  return {
    leaseNo: row.lease_no,
    units: row.units,
    remaining: row.remaining ?? undefined,
    limits: {
      monthlyEvents: row.monthly_events ?? undefined,
      eventsPerMinute: row.events_per_minute ?? undefined,
      keyEventsPerMinute: new Map(
        keyLimits.map(([keyNo, perMinute]) => [Number(keyNo) as DsnKeyNo, perMinute]),
      ),
    },
  }
}
