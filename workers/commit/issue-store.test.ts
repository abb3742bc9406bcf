import { describe, expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { releaseOf, sumOf } from '../../test/fixtures/workers/range-output.ts'
import { TestPartition } from '../../test/fixtures/workers/test-partition.ts'

let pg: Pool
let project: ProjectId

usePostgres((fixture) => {
  pg = fixture.pg
  project = fixture.project
})

async function issues() {
  const { rows } = await pg.query('select * from issues where project_id = $1', [project])
  return rows
}

test('sampled events without a stored row are counted, also separately', async () => {
  const partition = await TestPartition.takeNew(pg)
  await partition.commit({
    issues: [sumOf(project, ['app'], { eventCount: 10, sampledCount: 4 })],
  })
  await partition.commit({
    issues: [sumOf(project, ['app'], { eventCount: 5, sampledCount: 3 })],
  })
  expect(await issues()).toMatchObject([{ count: 15, sampled_count: 7 }])
})

describe('An issue that is deleted while its events are committed', () => {
  test('is created again with a new number', async () => {
    const partition = await TestPartition.takeNew(pg)
    await partition.commit({ issues: [sumOf(project, ['app'], { eventCount: 3 })] })
    const deleter = await pg.connect()
    try {
      await deleter.query('begin')
      await deleter.query('delete from issues where project_id = $1', [project])
      // The commit has read the owner of the hash by now, or reads it later: it must succeed either
      // way.
      const committed = partition.commit({
        issues: [sumOf(project, ['app'], { eventCount: 2 }), sumOf(project, ['other'])],
      })
      await untilSomebodyWaits()
      await deleter.query('commit')
      expect(await committed).toMatchObject({ newIssues: 2 })
    } finally {
      deleter.release()
    }
    const numbers = (await issues()).map(({ short_no, count }) => [short_no, count])
    expect(numbers.sort(([, a], [, b]) => a - b)).toEqual([
      [expect.toSatisfy((no) => no > 1), 1],
      [expect.toSatisfy((no) => no > 1), 2],
    ])
  })

  test('before its events are committed is not created again under its old id', async () => {
    const partition = await TestPartition.takeNew(pg)
    await partition.commit({ issues: [sumOf(project, ['app'])] })
    const [{ id }] = await issues()
    await pg.query('delete from issues where id = $1', [id])
    await partition.commit({ issues: [sumOf(project, ['app'])] })
    const [issue, ...others] = await issues()
    expect(others).toEqual([])
    expect(issue).toMatchObject({ count: 1, short_no: 2 })
    expect(issue.id).not.toBe(id)
  })

  async function untilSomebodyWaits(): Promise<void> {
    await expect
      .poll(async () => {
        const { rows } = await pg.query(
          `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        )
        return rows[0].n
      })
      .toBeGreaterThanOrEqual(1)
  }
})

describe('A resolved issue', () => {
  const resolvedAtMs = 50_000

  async function resolve(): Promise<void> {
    await pg.query(
      `update issues set status = 'resolved', substatus = null, resolved_at = to_timestamp($2)
       where project_id = $1`,
      [project, resolvedAtMs / 1000],
    )
  }

  async function activity() {
    const { rows } = await pg.query(
      `select kind, actor, data from issue_activity join issues on issues.id = issue_id
       where project_id = $1`,
      [project],
    )
    return rows
  }

  test('stays resolved when late events were received before the resolution', async () => {
    const partition = await TestPartition.takeNew(pg)
    await partition.commit({ issues: [sumOf(project, ['app'])] })
    await resolve()
    // The time of receipt decides, not the client's clock.
    const late = sumOf(project, ['app'], { lastReceivedMs: resolvedAtMs, lastSeenMs: 90_000 })
    expect((await partition.commit({ issues: [late] })).regressedIssues).toBe(0)
    expect(await issues()).toMatchObject([{ status: 'resolved', substatus: null, count: 2 }])
    expect(await activity()).toEqual([])
  })

  test('regresses on an event received after the resolution, and is reported once', async () => {
    const partition = await TestPartition.takeNew(pg)
    await partition.commit({ issues: [sumOf(project, ['app'])] })
    await resolve()
    const again = sumOf(project, ['app'], { lastReceivedMs: resolvedAtMs + 1, lastRelease: 'a@2' })
    expect((await partition.commit({ issues: [again] })).regressedIssues).toBe(1)
    const later = { ...again, lastReceivedMs: resolvedAtMs + 2 }
    expect((await partition.commit({ issues: [later] })).regressedIssues).toBe(0)
    expect(await issues()).toMatchObject([
      { status: 'unresolved', substatus: 'regressed', resolved_at: null, count: 3 },
    ])
    expect(await activity()).toEqual([
      {
        kind: 'regressed',
        actor: { type: 'system' },
        data: { release: 'a@2', resolved_in: 'now', resolved_release: null },
      },
    ])
  })

  test('regresses once when two partitions commit events for it concurrently', async () => {
    const partitions = await Promise.all([TestPartition.takeNew(pg), TestPartition.takeNew(pg)])
    await partitions[0]!.commit({ issues: [sumOf(project, ['app'])] })
    await resolve()
    const again = sumOf(project, ['app'], { lastReceivedMs: resolvedAtMs + 1 })
    const results = await Promise.all(partitions.map((one) => one.commit({ issues: [again] })))
    expect(results.map(({ regressedIssues }) => regressedIssues).sort()).toEqual([0, 1])
    expect(await activity()).toHaveLength(1)
  })

  test('an ignored issue stays ignored', async () => {
    const partition = await TestPartition.takeNew(pg)
    await partition.commit({ issues: [sumOf(project, ['app'])] })
    await pg.query(`update issues set status = 'ignored', substatus = null where project_id = $1`, [
      project,
    ])
    const again = sumOf(project, ['app'], { lastReceivedMs: resolvedAtMs + 1 })
    await partition.commit({ issues: [again] })
    expect(await issues()).toMatchObject([{ status: 'ignored', count: 2 }])
  })
})

test('releases keep their first and last time and their counts', async () => {
  const partition = await TestPartition.takeNew(pg)
  await partition.commit({
    issues: [
      sumOf(project, ['one'], { firstRelease: 'a@1', lastRelease: 'a@1' }),
      sumOf(project, ['two'], { firstRelease: 'a@1', lastRelease: 'a@2' }),
      sumOf(project, ['three']),
    ],
    releases: [
      releaseOf(project, 'a@1', { eventCount: 2, firstEventMs: 5_000, lastEventMs: 6_000 }),
      releaseOf(project, 'a@2', { eventCount: 1, firstEventMs: 7_000, lastEventMs: 7_000 }),
    ],
  })
  await partition.commit({
    issues: [
      sumOf(project, ['one'], { firstRelease: 'a@2', lastRelease: 'a@2' }),
      sumOf(project, ['four'], { firstRelease: 'a@2', lastRelease: 'a@2' }),
    ],
    releases: [
      releaseOf(project, 'a@2', { eventCount: 5, firstEventMs: 4_000, lastEventMs: 6_500 }),
    ],
  })
  const { rows } = await pg.query(
    `select version, event_count, first_event_at, last_event_at
     from releases where project_id = $1 order by version`,
    [project],
  )
  expect(rows).toEqual([
    {
      version: 'a@1',
      event_count: 2,
      first_event_at: new Date(5_000),
      last_event_at: new Date(6_000),
    },
    {
      version: 'a@2',
      event_count: 6,
      first_event_at: new Date(4_000),
      last_event_at: new Date(7_000),
    },
  ])
})
