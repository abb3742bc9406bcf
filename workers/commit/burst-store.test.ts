import { expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import { dashed, type ProjectId } from '#schemas/ids.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { addProject } from '../../test/fixtures/workers/add-project.ts'
import { hashOf, sumOf } from '../../test/fixtures/workers/range-output.ts'
import { TestPartition } from '../../test/fixtures/workers/test-partition.ts'
import type { Plain } from '../../test/fixtures/workers/written.ts'
import type { IssueSum } from '../digest/issue-sums.ts'
import { newIssuesPerHourMax } from './burst-gate.ts'
import { readBursts } from './burst-store.ts'

let pg: Pool
let project: ProjectId

usePostgres((fixture) => {
  pg = fixture.pg
  project = fixture.project
})

const hourMs = 3_600_000

/** Sums of `count` unknown errors, with one event each. */
function errors(count: number, prefix: string, fields: Partial<Plain<IssueSum>> = {}): IssueSum[] {
  return Array.from({ length: count }, (_, index) => sumOf(project, [`${prefix}${index}`], fields))
}

async function issues() {
  const { rows } = await pg.query(
    'select id, count from issues where project_id = $1 order by count desc',
    [project],
  )
  return rows
}

async function burstJobs(): Promise<number> {
  const { rows } = await pg.query(
    `select count(*) as jobs from graphile_worker._private_jobs as jobs
     where (payload->>'project_id')::bigint = $1 and payload->>'kind' = 'type Boom'`,
    [project],
  )
  return rows[0].jobs
}

test('errors beyond the limit are counted in one issue, whose hashes explain it', async () => {
  const partition = await TestPartition.takeNew(pg)
  await partition.commit({ issues: errors(newIssuesPerHourMax - 1, 'a') })
  expect(await burstJobs()).toBe(0)
  await partition.commit({ issues: errors(11, 'b', { eventCount: 2 }) })
  const [coarse, ...others] = await issues()
  expect(coarse.count).toBe(20)
  expect(others).toHaveLength(newIssuesPerHourMax)
  const { rows } = await pg.query(
    'select hash, explanation from issue_hashes where issue_id = $1',
    [coarse.id],
  )
  expect(rows).toHaveLength(11)
  expect(rows.map(({ hash }) => hash)).toContain(dashed(hashOf('coarse')))
  expect(new Set(rows.map(({ explanation }) => explanation.of))).toEqual(new Set(['coarse']))
  // Known errors count as before, new ones of the kind go to the same issue, and the owners are
  // notified once. The first error of the second commit was the last to get an issue of its own.
  await partition.commit({ issues: [...errors(3, 'a'), ...errors(3, 'c'), ...errors(2, 'b')] })
  expect((await issues())[0].count).toBe(24)
  expect(await issues()).toHaveLength(newIssuesPerHourMax + 1)
  expect(await burstJobs()).toBe(1)
})

test('another kind, another project and another hour have counts of their own', async () => {
  const partition = await TestPartition.takeNew(pg)
  await partition.commit({ issues: errors(newIssuesPerHourMax, 'a') })
  const other = await addProject(pg)
  const kind = { kind: 'type Other', hash: hashOf('coarse too'), explanation: '{}' }
  await partition.commit({
    issues: [
      ...errors(2, 'b', { coarse: kind }),
      ...errors(2, 'c', { lastReceivedMs: hourMs }),
      sumOf(other, ['a0']),
    ],
  })
  expect(await issues()).toHaveLength(newIssuesPerHourMax + 4)
  expect(await readBursts(pg, [project, other])).toEqual([[project, 0, 'type Boom']])
})

test('partitions that create issues concurrently stay within the limit together', async () => {
  const partitions = await Promise.all(Array.from({ length: 3 }, () => TestPartition.takeNew(pg)))
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(
      partitions.map((one, at) => one.commit({ issues: errors(30, `${round} ${at} `) })),
    )
  }
  const all = await issues()
  expect(all).toHaveLength(newIssuesPerHourMax + 1)
  expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(270)
})
