/** The quota store on a real Postgres of its own, thrown away afterwards, and what its tests do over and over. */
import { randomUUID } from 'node:crypto'
import { createLogger } from '#platform/logger.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { type ProjectId, undashed } from '#schemas/ids.ts'
import { PostgresQuotaStore } from '../ingest/io/postgres-quota-store.ts'
import type { LeaseGrant, LeaseRequest } from '../ingest/quota/quota-store.ts'
import { startStores } from './stores.ts'

export const period = '2026-11-01'

export interface QuotaFixture {
  readonly pool: Pool
  readonly store: PostgresQuotaStore
  projectWith(monthlyEvents: number | null): Promise<ProjectId>
  grant(bootId: string, request: LeaseRequest): Promise<LeaseGrant>
  stop(): Promise<void>
}

export async function startQuotaFixture(): Promise<QuotaFixture> {
  const stores = await startStores()
  const pool = createPool(
    { url: stores.postgresUrl, applicationName: 'test', connectionsMax: 10 },
    createLogger('test', 'error'),
  )
  const store = new PostgresQuotaStore(pool)
  await pool.query(`insert into organizations (id, name) values (gen_random_uuid(), 'o')`)
  return {
    pool,
    store,
    async projectWith(monthlyEvents) {
      const { rows } = await pool.query<{ dsn_id: ProjectId }>(
        `insert into projects (id, organization_id, name, short_name, project_key, monthly_events)
           select gen_random_uuid(), id, 'p', $1, gen_random_uuid(), $2 from organizations
           returning dsn_id`,
        [randomUUID(), monthlyEvents],
      )
      return rows[0]!.dsn_id
    },
    async grant(bootId, request) {
      const [answer] = await store.grant(bootId, [request])
      return answer!
    },
    async stop() {
      await pool.end()
      await stores.stop()
    },
  }
}

export function newBoot(): string {
  return undashed(randomUUID())
}

let lastRequestNo = 0

/** A new request; what it does not say is one unit of the month. */
export function ask(projectId: ProjectId, fields: Partial<LeaseRequest> = {}): LeaseRequest {
  lastRequestNo += 1
  return {
    requestNo: lastRequestNo,
    projectId,
    period,
    unitsNeeded: 1,
    unitsWanted: 1,
    ...fields,
  }
}
