/** What tests of the quota in Postgres do over and over. */
import { randomUUID } from 'node:crypto'
import type { Pool } from '#platform/postgres.ts'
import { type ProjectId, undashed } from '#schemas/ids.ts'
import type { LeaseGrant, LeaseRequest, QuotaStore } from '../ingest/quota/quota-store.ts'
import { addProject } from '../workers/io/fixtures/add-project.ts'

export const period = '2026-11-01'

export async function projectWith(pool: Pool, monthlyEvents: number | null): Promise<ProjectId> {
  const projectId = await addProject(pool)
  await pool.query('update projects set monthly_events = $2 where dsn_id = $1', [
    projectId,
    monthlyEvents,
  ])
  return projectId
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

export async function grant(
  store: QuotaStore,
  bootId: string,
  request: LeaseRequest,
): Promise<LeaseGrant> {
  const [answer] = await store.grant(bootId, [request])
  return answer!
}
