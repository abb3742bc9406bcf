/** Issues whose events are gone, beside commits, merges and kills. */
import { describe, expect, test } from 'vitest'
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { Pool } from '#platform/postgres.ts'
import { dashed, type ProjectId } from '#schemas/ids.ts'
import { defaultRetention } from '../../test/fixtures/workers/default-retention.ts'
import { hashOf, sumOf } from '../../test/fixtures/workers/range-output.ts'
import { daysAgoMs, now, useSeenIssues } from '../../test/fixtures/workers/seen-issues.ts'
import { TestPartition } from '../../test/fixtures/workers/test-partition.ts'
import { expireIssues } from './expired-issue-job.ts'
import { deleteExpiredIssues } from './issue-expiry-store.ts'

let pg: Pool
let project: ProjectId
let clickhouse: ClickHouseClient

const { see, issueOf, titles, storeEvent, setStatus, expectCounted } = useSeenIssues((fixture) => {
  pg = fixture.pg
  project = fixture.project
  clickhouse = fixture.clickhouse
})

const running = new AbortController().signal
const limits = () => ({ now, days: defaultRetention })
const run = (signal = running) => expireIssues({ pg, clickhouse, ...limits(), signal })

async function waitingCount(): Promise<number> {
  const { rows } = await pg.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0]?.count ?? 0
}

/** A pool whose transactions do something before they commit. */
function beforeCommitOf(pool: Pool, act: () => Promise<unknown>): Pool {
  const connect = async () => {
    const client = await pool.connect()
    const query = async (sql: string, values?: unknown[]) => {
      if (sql === 'commit') await act()
      return client.query(sql, values)
    }
    return { query, release: (error?: Error) => client.release(error) }
  }
  return { connect } as unknown as Pool
}

describe('An issue', () => {
  test('goes with its hashes, sums and activity when its time is over, not a moment earlier', async () => {
    await see(['earlier'], daysAgoMs(365) - 1, 3)
    await see(['exactly'], daysAgoMs(365))
    await see(['later'], daysAgoMs(365) + 1)
    await pg.query(
      `insert into issue_activity (issue_id, kind, actor, at) values ($1, 'x', '{}', $2)`,
      [await issueOf('earlier'), new Date(0)],
    )
    expect(await run()).toBe(1)
    expect(await titles()).toEqual(['exactly', 'later'])
    const { rows } = await pg.query(
      `select (select count(*)::int from issue_hashes where project_id = $1) as hashes,
         (select count(*)::int from hash_sums where project_id = $1) as sums,
         (select count(*)::int from issue_activity) as activity`,
      [project],
    )
    expect(rows).toEqual([{ hashes: 2, sums: 2, activity: 0 }])
    await expectCounted(5)
    expect(await run()).toBe(0)
  })

  test('stays while an event of it is stored, and after somebody changed it', async () => {
    for (const name of ['stored', 'lapsed', 'changed', 'changed long ago']) {
      await see([name], daysAgoMs(400))
    }
    await storeEvent('stored', daysAgoMs(400), 401)
    await storeEvent('lapsed', daysAgoMs(400), 399)
    for (const [name, days] of [
      ['changed', 364],
      ['changed long ago', 366],
    ] as const) {
      await pg.query(
        `insert into issue_activity (issue_id, kind, actor, at) values ($1, 'status', '{}', $2)`,
        [await issueOf(name), new Date(daysAgoMs(days))],
      )
    }
    expect(await run()).toBe(2)
    expect(await titles()).toEqual(['changed', 'stored'])
  })

  test('stays as long as the events of its project may be stored', async () => {
    await pg.query(`update projects set settings = '{"retention_days": 500}' where dsn_id = $1`, [
      project,
    ])
    await see(['within'], daysAgoMs(499))
    await see(['beyond'], daysAgoMs(501))
    expect(await run()).toBe(1)
    expect(await titles()).toEqual(['within'])
  })

  test.each(['ignored', 'resolved'])('that is %s goes after its own time', async (status) => {
    await see(['known'], daysAgoMs(1_824))
    await setStatus('known', status)
    expect(await run()).toBe(status === 'ignored' ? 0 : 1)
    await see(['very old'], daysAgoMs(1_826))
    await setStatus('very old', status)
    expect(await run()).toBe(1)
  })

  test('takes the issues that were merged into it with it, and is not deleted through them', async () => {
    for (const name of ['a', 'b', 'c']) await see([name], daysAgoMs(400))
    const [a, b] = [await issueOf('a'), await issueOf('b')]
    const c = await issueOf('c')
    await see(['living'], daysAgoMs(1))
    const living = await issueOf('living')
    await pg.query('update issues set merged_into = $2 where id = $1', [a, b])
    await pg.query('update issue_hashes set issue_id = $2 where issue_id = $1', [a, b])
    await pg.query(
      'update issues set count = case id when $1 then 0 else 2 end where id in ($1, $2)',
      [a, b],
    )
    await pg.query('update issues set merged_into = $2 where id = $1', [c, living])
    await pg.query('update issue_hashes set issue_id = $2 where issue_id = $1', [c, living])
    await pg.query(
      'update issues set count = case id when $1 then 0 else 2 end where id in ($1, $2)',
      [c, living],
    )
    expect(await run()).toBe(2)
    expect(await titles()).toEqual(['c', 'living'])
    await expectCounted(4)
  })

  test('gets a new number and counts from one when its error returns', async () => {
    await see(['error'], daysAgoMs(400), 7)
    expect(await run()).toBe(1)
    await see(['error'], daysAgoMs(0), 2)
    const { rows } = await pg.query(
      'select short_no, count, substatus from issues where project_id = $1',
      [project],
    )
    expect(rows).toEqual([{ short_no: 2, count: 2, substatus: 'new' }])
    await expectCounted(9)
  })
})

describe('Beside commits', () => {
  const rounds = 25

  test('an event that arrives while its issue is deleted is counted once, in one issue', async () => {
    let committed = 0
    for (let round = 0; round < rounds; round += 1) {
      const name = `race ${round}`
      await see([name, `${name} system`], daysAgoMs(400))
      const issueIds = [await issueOf(name)]
      const others = await Promise.all([TestPartition.takeNew(pg), TestPartition.takeNew(pg)])
      const fresh = { lastSeenMs: daysAgoMs(0), lastReceivedMs: daysAgoMs(0) }
      await Promise.all([
        deleteExpiredIssues(pg, limits(), { projectId: project, issueIds }),
        ...others.map((other) =>
          other.commit({ issues: [sumOf(project, [name, `${name} system`], fresh)] }),
        ),
      ])
      committed += 3
      const { rows } = await pg.query(
        'select count(distinct issue_id)::int as issues from issue_hashes where project_id = $1 and hash = any($2)',
        [project, [name, `${name} system`].map((text) => dashed(hashOf(text)))],
      )
      expect(rows).toEqual([{ issues: 1 }])
      await expectCounted(committed)
    }
    const { rows } = await pg.query(
      'select short_no from issues where project_id = $1 group by 1 having count(*) > 1',
      [project],
    )
    expect(rows).toEqual([])
  })

  test('a commit that waits for an issue that is being deleted creates one', async () => {
    await see(['waits', 'waits system'], daysAgoMs(400))
    const issueIds = [await issueOf('waits')]
    const other = await TestPartition.takeNew(pg)
    const fresh = { lastSeenMs: daysAgoMs(0), lastReceivedMs: daysAgoMs(0) }
    let commit: Promise<unknown> = Promise.resolve()
    const slow = beforeCommitOf(pg, async () => {
      commit = other.commit({ issues: [sumOf(project, ['waits', 'waits system'], fresh)] })
      await expect.poll(waitingCount).toBe(1)
    })
    expect(await deleteExpiredIssues(slow, limits(), { projectId: project, issueIds })).toBe(1)
    await commit
    expect(await titles()).toEqual(['waits+waits system'])
    expect([await issueOf('waits')]).not.toEqual(issueIds)
    expect(await issueOf('waits system')).toBe(await issueOf('waits'))
    await expectCounted(2)
  })

  test('a deletion that is killed before it is committed changes nothing', async () => {
    await see(['kept'], daysAgoMs(400))
    const issueIds = [await issueOf('kept')]
    const killed = beforeCommitOf(pg, () => Promise.reject(new Error('killed')))
    await expect(
      deleteExpiredIssues(killed, limits(), { projectId: project, issueIds }),
    ).rejects.toThrow('killed')
    expect(await titles()).toEqual(['kept'])
    await expectCounted(1)
    expect(await run()).toBe(1)
    await expectCounted(1)
  })

  test('an issue that a commit holds is left alone, without waiting for it', async () => {
    await see(['held'], daysAgoMs(400))
    const client = await pg.connect()
    try {
      await client.query('begin')
      await client.query('select from issues where project_id = $1 for no key update', [project])
      expect(await run()).toBe(0)
      await client.query('rollback')
      await client.query('begin')
      await client.query(`select pg_advisory_xact_lock(hashtextextended('issue merging', $1))`, [
        project,
      ])
      expect(await run()).toBe(0)
      await client.query('rollback')
    } finally {
      client.release()
    }
    expect(await run()).toBe(1)
  })

  test('an issue that was counted into after it was found stays', async () => {
    await see(['seen again'], daysAgoMs(400))
    const issueIds = [await issueOf('seen again')]
    await see(['seen again'], daysAgoMs(2))
    expect(await deleteExpiredIssues(pg, limits(), { projectId: project, issueIds })).toBe(0)
    await expectCounted(2)
  })
})

test('a run that is stopped deletes nothing more, and the next run the rest', async () => {
  for (const name of ['a', 'b']) await see([name], daysAgoMs(400))
  expect(await run(AbortSignal.abort())).toBe(0)
  expect(await run()).toBe(2)
})
