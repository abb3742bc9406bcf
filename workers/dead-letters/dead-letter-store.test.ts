import { beforeEach, expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { addProject } from '../../test/fixtures/workers/add-project.ts'
import { expireDeadLetters } from './dead-letter-store.ts'

let pg: Pool
let project: ProjectId

usePostgres((fixture) => {
  ;({ pg, project } = fixture)
})

beforeEach(() => pg.query('delete from dead_letters'))

const now = new Date('2026-11-20T12:00:00Z')
const dayMs = 86_400_000
const retentionDays = 90
let streamSeq = 0

async function keep(
  projectId: ProjectId | null,
  daysAgo: readonly number[],
  isRetried = false,
): Promise<void> {
  const times = daysAgo.map((days) => new Date(now.getTime() - days * dayMs))
  streamSeq += times.length
  await pg.query(
    `insert into dead_letters (generation, partition, stream_seq, record_index, project_id, reason, detail, bytes,
       created_at, retry_requested_at)
     select 1, 0, $1::bigint - at, 0, $2, 'undigestible', '', '', created_at, case when $4 then created_at end
     from unnest($3::timestamptz[]) with ordinality as row (created_at, at)`,
    [streamSeq, projectId, times, isRetried],
  )
}

/** Days ago, newest first. */
async function daysOf(projectId: ProjectId | null): Promise<number[]> {
  const { rows } = await pg.query<{ created_at: Date }>(
    'select created_at from dead_letters where project_id is not distinct from $1 order by created_at desc',
    [projectId],
  )
  return rows.map(({ created_at }) => (now.getTime() - created_at.getTime()) / dayMs)
}

async function keepFor(projectId: ProjectId, days: number | null): Promise<void> {
  await pg.query('update projects set settings = $2 where dsn_id = $1', [
    projectId,
    { retention_days: days },
  ])
}

test('dead letters expire with the retention of their project, or that of the installation', async () => {
  const [short, long, cleared] = [await addProject(pg), await addProject(pg), await addProject(pg)]
  await keepFor(short, 7)
  await keepFor(long, 365)
  await keepFor(cleared, null)
  const days = [0, 6, 7, 8, 89, 90, 91, 364, 366]
  // Dead letters of a deleted project stay, and an unreadable frame has no project.
  const deleted = 999_999 as ProjectId
  for (const each of [project, short, long, cleared, deleted, null]) await keep(each, days)
  expect(await expireDeadLetters(pg, { now, retentionDays })).toBe(3 + 6 + 1 + 3 + 3 + 3)
  for (const each of [project, cleared, deleted, null]) {
    expect(await daysOf(each)).toEqual([0, 6, 7, 8, 89, 90])
  }
  expect(await daysOf(short)).toEqual([0, 6, 7])
  expect(await daysOf(long)).toEqual([0, 6, 7, 8, 89, 90, 91, 364])
  expect(await expireDeadLetters(pg, { now, retentionDays })).toBe(0)
})

test('a dead letter that is being retried stays', async () => {
  await keep(project, [100, 200], true)
  await keep(project, [300])
  expect(await expireDeadLetters(pg, { now, retentionDays })).toBe(1)
  expect(await daysOf(project)).toEqual([100, 200])
})

test('more of them than one batch are deleted, and none twice', async () => {
  await keep(
    project,
    Array.from({ length: 2_500 }, () => 100),
  )
  await keep(project, [1])
  expect(await expireDeadLetters(pg, { now, retentionDays })).toBe(2_500)
  expect(await daysOf(project)).toEqual([1])
})
