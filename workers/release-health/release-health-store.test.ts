import { beforeEach, expect, test } from 'vitest'
import { inTransaction, type Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { addProject } from '../../test/fixtures/workers/add-project.ts'
import { written } from '../../test/fixtures/workers/written.ts'
import type { SessionSum } from './parse-sessions.ts'
import { addSessionSums, expireSessionSums } from './release-health-store.ts'

let pg: Pool
let project: ProjectId

usePostgres((fixture) => {
  ;({ pg, project } = fixture)
})

beforeEach(() => pg.query('delete from release_health_counts'))

const now = new Date('2026-11-20T12:00:00Z')
const hourMs = 3_600_000
const retentionDays = 90

async function addHours(projectId: ProjectId, hoursAgo: readonly number[]): Promise<void> {
  const sums = hoursAgo.map((hours) =>
    written<SessionSum>({
      projectId,
      release: 'shop@1',
      environment: 'production',
      hourSecond: (now.getTime() - hours * hourMs) / 1000,
      ...{ exited: 1, errored: 0, unhandled: 0, abnormal: 0, crashed: 0 },
    }),
  )
  await inTransaction(pg, (client) => addSessionSums(client, sums))
}

/** Hours ago, newest first. */
async function hoursOf(projectId: ProjectId): Promise<number[]> {
  const { rows } = await pg.query<{ hour: Date }>(
    'select hour from release_health_counts where project_id = $1 order by hour desc',
    [projectId],
  )
  return rows.map(({ hour }) => (now.getTime() - hour.getTime()) / hourMs)
}

async function keepFor(projectId: ProjectId, days: number | null): Promise<void> {
  await pg.query('update projects set settings = $2 where dsn_id = $1', [
    projectId,
    { retention_days: days },
  ])
}

test('counts expire with the retention of their project, or that of the installation', async () => {
  const [short, long, cleared] = [await addProject(pg), await addProject(pg), await addProject(pg)]
  await keepFor(short, 7)
  await keepFor(long, 365)
  await keepFor(cleared, null)
  const days = [0, 6, 7, 8, 89, 90, 91, 364, 366]
  const hours = days.map((day) => day * 24)
  for (const each of [project, short, long, cleared]) await addHours(each, hours)
  expect(await expireSessionSums(pg, { now, retentionDays })).toBe(3 + 6 + 1 + 3)
  expect(await hoursOf(project)).toEqual([0, 6, 7, 8, 89, 90].map((day) => day * 24))
  expect(await hoursOf(short)).toEqual([0, 6, 7].map((day) => day * 24))
  expect(await hoursOf(long)).toEqual([0, 6, 7, 8, 89, 90, 91, 364].map((day) => day * 24))
  expect(await hoursOf(cleared)).toEqual([0, 6, 7, 8, 89, 90].map((day) => day * 24))
  expect(await expireSessionSums(pg, { now, retentionDays })).toBe(0)
})

test('more than one batch is deleted at once', async () => {
  const old = Array.from({ length: 2_500 }, (_, index) => 91 * 24 + index)
  await addHours(project, [1, ...old])
  expect(await expireSessionSums(pg, { now, retentionDays })).toBe(2_500)
  expect(await hoursOf(project)).toEqual([1])
})

test('a count that a commit has locked is deleted by the next call', async () => {
  await addHours(project, [100 * 24, 101 * 24])
  await inTransaction(pg, async (client) => {
    await client.query(
      `select from release_health_counts where project_id = $1 and hour = to_timestamp($2) for update`,
      [project, now.getTime() / 1000 - 100 * 24 * 3_600],
    )
    expect(await expireSessionSums(pg, { now, retentionDays })).toBe(1)
  })
  expect(await hoursOf(project)).toEqual([100 * 24])
  expect(await expireSessionSums(pg, { now, retentionDays })).toBe(1)
})
