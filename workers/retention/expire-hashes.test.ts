/** Grouping hashes of living issues whose events are gone. */
import { describe, expect, test } from 'vitest'
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { Pool } from '#platform/postgres.ts'
import { dashed, type ProjectId } from '#schemas/ids.ts'
import { defaultRetention } from '../../test/fixtures/workers/default-retention.ts'
import { hashOf, sumOf } from '../../test/fixtures/workers/range-output.ts'
import { daysAgoMs, now, useSeenIssues } from '../../test/fixtures/workers/seen-issues.ts'
import { TestPartition } from '../../test/fixtures/workers/test-partition.ts'
import { expireHashes } from './expired-hash-job.ts'

let pg: Pool
let project: ProjectId
let clickhouse: ClickHouseClient

const { see, issueOf, storeEvent, setStatus, expectCounted } = useSeenIssues((fixture) => {
  pg = fixture.pg
  project = fixture.project
  clickhouse = fixture.clickhouse
})

const running = new AbortController().signal
const limits = () => ({ now, days: defaultRetention })
const runHashes = (signal = running) => expireHashes({ pg, clickhouse, ...limits(), signal })

describe('A hash of a living issue', () => {
  async function counts(): Promise<Record<string, number>> {
    const { rows } = await pg.query('select hash, count from hash_sums where project_id = $1', [
      project,
    ])
    const names = ['old', 'older', 'newest', 'only', 'ignored', 'stored', 'moved']
    const nameOf = new Map(names.map((name) => [dashed(hashOf(name)), name]))
    return Object.fromEntries(rows.map(({ hash, count }) => [nameOf.get(hash), count]))
  }

  /** Events with different first hashes, in one issue because of a second one. */
  async function burst(name: string, days: number, count = 1): Promise<void> {
    await see([name, 'shared'], daysAgoMs(days), count)
  }

  test('goes when it was not seen for long; its counts go to the newest one', async () => {
    await burst('old', 400, 3)
    await burst('older', 500, 4)
    await burst('newest', 1, 5)
    await see(['only'], daysAgoMs(400), 6)
    const id = await issueOf('newest')
    const before = await pg.query('select count, last_seen from issues where id = $1', [id])
    // `shared` has no sum: it goes as well, and the next event brings it back.
    expect(await runHashes()).toBe(3)
    expect(await counts()).toEqual({ newest: 12, only: 6 })
    const after = await pg.query('select count, last_seen from issues where id = $1', [id])
    expect(after.rows).toEqual(before.rows)
    await expectCounted(18)
    const { rows } = await pg.query('select first_seen from hash_sums where hash = $1', [
      dashed(hashOf('newest')),
    ])
    expect(rows[0].first_seen.getTime()).toBe(daysAgoMs(500))
    expect(await runHashes()).toBe(0)
    await burst('newest', 0)
    expect(await issueOf('shared')).toBe(id)
    await expectCounted(19)
  })

  test('stays while an event of it is stored, or while its issue is ignored', async () => {
    await burst('stored', 400)
    await burst('newest', 1)
    await storeEvent('stored', daysAgoMs(400), 500)
    await pg.query(`delete from issue_hashes where hash = $1`, [dashed(hashOf('shared'))])
    expect(await runHashes()).toBe(0)
    await setStatus('newest', 'ignored')
    await burst('ignored', 1_000)
    await pg.query(`update issue_hashes set issue_id = $1, created_at = 'epoch'`, [
      await issueOf('newest'),
    ])
    expect(await runHashes()).toBe(1)
    expect(await counts()).toEqual({ stored: 1, newest: 1, ignored: 1 })
  })

  test('by which a burst is grouped stays, although no event has it as its first one', async () => {
    await burst('newest', 1)
    await pg.query(
      `update issue_hashes set explanation = jsonb_build_object('variants', jsonb_build_array(jsonb_build_object('hash', $2::text))), created_at = 'epoch'
       where project_id = $1`,
      [project, hashOf('shared')],
    )
    expect(await runHashes()).toBe(0)
    await pg.query(`update issue_hashes set explanation = '{"variants": [{"hash": "ab"}]}'`)
    expect(await runHashes()).toBe(1)
    expect(await issueOf('shared')).toBeUndefined()
  })

  test('that was merged here is added up only with hashes that came the same way', async () => {
    for (const [name, days] of [
      ['old', 400],
      ['moved', 500],
      ['older', 450],
      ['newest', 1],
    ] as const) {
      await burst(name, days)
    }
    const former = '11111111-1111-4111-8111-111111111111'
    await pg.query('update issue_hashes set came_from = $1 where hash = any($2)', [
      [former],
      ['moved', 'older'].map((name) => dashed(hashOf(name))),
    ])
    await pg.query(`delete from issue_hashes where hash = $1`, [dashed(hashOf('shared'))])
    expect(await runHashes()).toBe(2)
    expect(await counts()).toEqual({ newest: 2, older: 2 })
  })

  test('that an event names meanwhile is counted once', async () => {
    for (let round = 0; round < 15; round += 1) {
      await burst('old', 400, 2)
      await burst('newest', 1)
      const other = await TestPartition.takeNew(pg)
      const fresh = { lastSeenMs: daysAgoMs(0), lastReceivedMs: daysAgoMs(0) }
      await Promise.all([
        runHashes(),
        other.commit({ issues: [sumOf(project, ['old', 'shared'], fresh)] }),
      ])
      await expectCounted(4)
      await pg.query('delete from issues where project_id = $1', [project])
    }
  })
})
