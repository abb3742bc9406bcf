import { describe, expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { storedText } from '#schemas/stored-text.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { addProject } from '../../test/fixtures/workers/add-project.ts'
import { hashOf, outputOf, releaseOf, sumOf } from '../../test/fixtures/workers/range-output.ts'
import { TestPartition, testStream } from '../../test/fixtures/workers/test-partition.ts'
import type { DeadLetter } from '../dead-letters/dead-letter.ts'
import { takeOverCursor } from '../partitions/cursor-store.ts'
import { FencedError } from '../partitions/ports.ts'
import { commitRange } from './commit-store.ts'

const rounds = 20
let pg: Pool
let project: ProjectId

usePostgres((fixture) => {
  pg = fixture.pg
  project = fixture.project
})

async function issues() {
  const { rows } = await pg.query(
    'select * from issues where project_id = $1 order by first_seen, short_no',
    [project],
  )
  return rows
}

async function hashes(): Promise<Record<string, string>> {
  const { rows } = await pg.query<{ hash: string; issue_id: string }>(
    'select hash, issue_id from issue_hashes where project_id = $1',
    [project],
  )
  return Object.fromEntries(rows.map((row) => [row.hash.replaceAll('-', ''), row.issue_id]))
}

describe('The issues of a range', () => {
  test('a new error creates an issue with a number, its hashes and their explanation', async () => {
    const partition = await TestPartition.takeNew(pg)
    const sum = sumOf(project, ['app', 'system'], {
      eventCount: 3,
      firstSeenMs: 1_500,
      lastSeenMs: 2_500,
      firstRelease: 'a@1',
      lastRelease: 'a@2',
      title: 'TypeError: größer als 🦆',
      culprit: 'cart.add',
      level: 'fatal',
      platform: 'python',
    })
    expect(await partition.commit({ issues: [sum] })).toMatchObject({
      newIssues: 1,
      regressedIssues: 0,
    })
    const [issue] = await issues()
    expect(issue).toMatchObject({
      short_no: 1,
      title: 'TypeError: größer als 🦆',
      culprit: 'cart.add',
      level: 'fatal',
      platform: 'python',
      status: 'unresolved',
      substatus: 'new',
      count: 3,
      first_seen: new Date(1_500),
      last_seen: new Date(2_500),
      first_release: 'a@1',
      last_release: 'a@2',
    })
    expect(await hashes()).toEqual({ [hashOf('app')]: issue.id, [hashOf('system')]: issue.id })
    const { rows } = await pg.query('select explanation from issue_hashes where issue_id = $1', [
      issue.id,
    ])
    expect(rows.map(({ explanation }) => explanation)).toEqual([{ of: 'app' }, { of: 'app' }])
  })

  test('a second range adds its counts, extends the times and renames the issue', async () => {
    const partition = await TestPartition.takeNew(pg)
    const first = { eventCount: 3, firstSeenMs: 2_000, lastSeenMs: 5_000, firstRelease: 'b' }
    await partition.commit({ issues: [sumOf(project, ['app'], first)] })
    const second = { eventCount: 4, firstSeenMs: 1_000, lastSeenMs: 9_000, lastRelease: 'c' }
    const sum = sumOf(project, ['app'], { ...second, firstRelease: 'a', title: 'renamed' })
    expect(await partition.commit({ issues: [sum] })).toMatchObject({
      newIssues: 0,
      regressedIssues: 0,
    })
    expect(await issues()).toMatchObject([
      {
        short_no: 1,
        count: 7,
        first_seen: new Date(1_000),
        last_seen: new Date(9_000),
        first_release: 'a',
        last_release: 'c',
        title: 'renamed',
      },
    ])
  })

  test('late events count and do not change the name and the last release', async () => {
    const partition = await TestPartition.takeNew(pg)
    const now = { lastSeenMs: 5_000, lastRelease: '2', title: 'now', level: 'error' } as const
    await partition.commit({ issues: [sumOf(project, ['app'], now)] })
    const late = { firstSeenMs: 3_000, lastSeenMs: 4_000, lastRelease: '1', title: 'late' }
    await partition.commit({ issues: [sumOf(project, ['app'], { ...late, level: 'info' })] })
    expect(await issues()).toMatchObject([
      {
        count: 2,
        first_seen: new Date(1_000),
        last_seen: new Date(5_000),
        title: 'now',
        level: 'error',
        last_release: '2',
      },
    ])
  })

  test('when only the second hash has an owner, the first is attached to its issue', async () => {
    const partition = await TestPartition.takeNew(pg)
    await partition.commit({ issues: [sumOf(project, ['old app', 'system'])] })
    await partition.commit({ issues: [sumOf(project, ['new app', 'system'])] })
    const [issue, ...others] = await issues()
    expect(others).toEqual([])
    expect(issue.count).toBe(2)
    expect((await hashes())[hashOf('new app')]).toBe(issue.id)
  })

  test('the same hash in two projects is an issue of each', async () => {
    const other = await addProject(pg)
    const partition = await TestPartition.takeNew(pg)
    await partition.commit({ issues: [sumOf(project, ['app']), sumOf(other, ['app'])] })
    const { rows } = await pg.query(
      'select project_id, short_no, count from issues where project_id = any($1) order by 1',
      [[project, other]],
    )
    expect(rows).toEqual([
      { project_id: project, short_no: 1, count: 1 },
      { project_id: other, short_no: 1, count: 1 },
    ])
  })

  test('issue numbers of a project are consecutive and unique', async () => {
    const partitions = await Promise.all([TestPartition.takeNew(pg), TestPartition.takeNew(pg)])
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(
        partitions.map((partition, at) => {
          const sums = [1, 2, 3].map((no) => sumOf(project, [`${round} ${at} ${no}`]))
          return partition.commit({ issues: [...sums, sumOf(project, [`${round} of both`])] })
        }),
      )
    }
    const numbers = (await issues()).map(({ short_no }) => short_no).sort((a, b) => a - b)
    expect(numbers).toEqual(Array.from({ length: 5 * 7 }, (_, at) => at + 1))
  })

  test('the sums of a deleted project are skipped and the range is committed', async () => {
    const partition = await TestPartition.takeNew(pg)
    const gone = await addProject(pg)
    await pg.query('delete from projects where dsn_id = $1', [gone])
    const result = await partition.commit({
      issues: [sumOf(gone, ['app']), sumOf(project, ['app'])],
      releases: [releaseOf(gone, '1'), releaseOf(project, '1')],
    })
    expect(result.newIssues).toBe(1)
    expect(await issues()).toHaveLength(1)
    expect(await partition.committedSeq()).toBe(10)
    await partition.commit({ issues: [sumOf(gone, ['app'])], releases: [releaseOf(gone, '1')] })
    expect(await partition.committedSeq()).toBe(20)
  })
})

describe('Partitions that commit concurrently', () => {
  test('create one issue for the same new error, with the counts of all', async () => {
    const partitions = await Promise.all([1, 2, 3, 4].map(() => TestPartition.takeNew(pg)))
    for (let round = 0; round < rounds; round += 1) {
      const results = await Promise.all(
        partitions.map((partition, at) =>
          partition.commit({ issues: [sumOf(project, [`${round}`], { eventCount: 10 ** at })] }),
        ),
      )
      expect(results.map(({ newIssues }) => newIssues).sort()).toEqual([0, 0, 0, 1])
    }
    const all = await issues()
    expect(all.map(({ count }) => count)).toEqual(new Array(rounds).fill(1_111))
  })

  test('create one issue for new errors that share a hash in any order', async () => {
    const [a, b] = await Promise.all([TestPartition.takeNew(pg), TestPartition.takeNew(pg)])
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all([
        a!.commit({ issues: [sumOf(project, [`a ${round}`, `system ${round}`])] }),
        b!.commit({ issues: [sumOf(project, [`b ${round}`, `system ${round}`])] }),
      ])
    }
    expect((await issues()).map(({ count }) => count)).toEqual(new Array(rounds).fill(2))
    expect(Object.keys(await hashes())).toHaveLength(3 * rounds)
  })

  test('do not deadlock over the same issues and releases in different orders, and counts are exact', async () => {
    const partitions = await Promise.all([1, 2, 3, 4].map(() => TestPartition.takeNew(pg)))
    const names = Array.from({ length: 50 }, (_, at) => `shared ${at}`)
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all(
        partitions.map((partition, at) => {
          const order = at % 2 === 0 ? names : [...names].reverse()
          const fresh = sumOf(project, [`new ${round % 5} ${at % 2}`])
          return partition.commit({
            issues: [...order.map((name) => sumOf(project, [name], { eventCount: 3 })), fresh],
            releases: order.map((name) => releaseOf(project, name)),
          })
        }),
      )
    }
    const counts = (await issues()).map(({ count }) => count).sort((a, b) => b - a)
    expect(counts.slice(0, 50)).toEqual(new Array(50).fill(3 * 4 * rounds))
    expect(counts.slice(50)).toEqual(new Array(10).fill((4 * rounds) / 10))
    const { rows } = await pg.query(
      'select event_count, count(*)::int as releases from releases where project_id = $1 group by 1',
      [project],
    )
    expect(rows).toEqual([{ event_count: 4 * rounds, releases: 50 }])
  })
})

test('do not deadlock over different issues with the same releases in different orders', async () => {
  const partitions = await Promise.all([1, 2, 3, 4].map(() => TestPartition.takeNew(pg)))
  const versions = Array.from({ length: 50 }, (_, at) => `shop@${at}`)
  await Promise.all(
    partitions.map((partition, at) => partition.commit({ issues: [sumOf(project, [`${at}`])] })),
  )
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(
      partitions.map((partition, at) => {
        const order = at % 2 === 0 ? versions : [...versions].reverse()
        const releases = order.map((version) => releaseOf(project, version))
        return partition.commit({ issues: [sumOf(project, [`${at}`])], releases })
      }),
    )
  }
  const { rows } = await pg.query(
    'select event_count, count(*)::int as releases from releases where project_id = $1 group by 1',
    [project],
  )
  expect(rows).toEqual([{ event_count: 4 * rounds, releases: 50 }])
})

describe('A commit of a former owner', () => {
  const deadLetter: DeadLetter = {
    streamSeq: 3,
    recordIndex: 0,
    projectId: undefined,
    reason: 'undigestible',
    detail: storedText('no'),
    bytes: Buffer.from('bytes'),
  }

  test('with an old epoch changes nothing', async () => {
    const partition = await TestPartition.takeNew(pg)
    await partition.commit({ issues: [sumOf(project, ['known'])] })
    const cursor = await partition.plan()
    await takeOverCursor(pg, cursor.partition, testStream)
    const before = await everything(cursor.partition)
    const commit = commitRange(pg, {
      cursor,
      output: outputOf({
        issues: [sumOf(project, ['known']), sumOf(project, ['new'])],
        releases: [releaseOf(project, '1')],
        deadLetters: [deadLetter],
      }),
      frames: [{ instanceId: hashOf('boot'), contiguous: 4, ahead: [] }],
    })
    await expect(commit).rejects.toBeInstanceOf(FencedError)
    expect(await everything(cursor.partition)).toEqual(before)
  })

  test('repeated after its answer was lost is fenced and adds nothing', async () => {
    const partition = await TestPartition.takeNew(pg)
    const cursor = await partition.plan()
    const output = outputOf({ issues: [sumOf(project, ['app'])], deadLetters: [deadLetter] })
    await commitRange(pg, { cursor, output, frames: [] })
    const before = await everything(cursor.partition)
    await expect(commitRange(pg, { cursor, output, frames: [] })).rejects.toBeInstanceOf(
      FencedError,
    )
    expect(await everything(cursor.partition)).toEqual(before)
    expect(before.issues).toMatchObject([{ count: 1 }])
    expect(before.deadLetters).toHaveLength(1)
  })

  async function everything(partition: number) {
    const table = async (sql: string, of: number) => (await pg.query(sql, [of])).rows
    return {
      issues: await issues(),
      hashes: await hashes(),
      numbers: await table('select * from issue_numbers where project_id = $1', project),
      releases: await table('select * from releases where project_id = $1', project),
      deadLetters: await table('select * from dead_letters where partition = $1', partition),
      frames: await table('select * from frame_progress where partition = $1', partition),
      cursors: await table('select * from partition_cursors where partition = $1', partition),
    }
  }
})

describe('Other data of a range', () => {
  test('a dead letter is stored once with its bytes', async () => {
    const partition = await TestPartition.takeNew(pg)
    const deadLetter: DeadLetter = {
      streamSeq: 3,
      recordIndex: -1,
      projectId: undefined,
      reason: 'unreadable_frame',
      detail: storedText('the CRC differs'),
      bytes: Uint8Array.from([0, 255, 1]),
    }
    const ofProject: DeadLetter = {
      ...deadLetter,
      recordIndex: 2,
      projectId: project,
      reason: 'undigestible',
    }
    await partition.commit({ deadLetters: [deadLetter, ofProject] })
    await partition.commit({ deadLetters: [deadLetter] })
    const { rows } = await pg.query(
      `select generation, stream_seq, record_index, project_id, reason, detail, bytes
       from dead_letters where partition = $1 order by id`,
      [partition.partition],
    )
    const kept = { generation: 1, stream_seq: 3, detail: 'the CRC differs' }
    const bytes = Buffer.from([0, 255, 1])
    expect(rows).toEqual([
      { ...kept, record_index: -1, project_id: null, reason: 'unreadable_frame', bytes },
      { ...kept, record_index: 2, project_id: project, reason: 'undigestible', bytes },
    ])
  })

  test('a detail that Postgres cannot hold does not block the partition', async () => {
    const partition = await TestPartition.takeNew(pg)
    const deadLetter: DeadLetter = {
      streamSeq: 3,
      recordIndex: 0,
      projectId: project,
      reason: 'undigestible',
      detail: storedText('Unexpected token \0 and \ud800 alone'),
      bytes: Buffer.from('{'),
    }
    await partition.commit({ deadLetters: [deadLetter] })
    expect(await partition.committedSeq()).toBe(10)
  })

  test('frame progress is read back as it was stored', async () => {
    const partition = await TestPartition.takeNew(pg)
    const a = { instanceId: hashOf('a'), contiguous: 5, ahead: [7, 9, 2 ** 47, 2 ** 47 + 1] }
    const b = { instanceId: hashOf('b'), contiguous: 0, ahead: [] }
    await partition.commit({}, [a, b])
    const moved = { ...a, contiguous: 9, ahead: [11, 12] }
    await partition.commit({}, [moved])
    const read = [...(await partition.frames())]
    expect(read.sort((x, y) => y.contiguous - x.contiguous)).toEqual([moved, b])
    expect(await (await TestPartition.takeNew(pg)).frames()).toEqual([])
  })
})

describe('The sessions of a range', () => {
  test('that are of a closed day report it, and others report none', async () => {
    const partition = await TestPartition.takeNew(pg)
    const now = await pg.query<{ second: number }>(
      'select extract(epoch from now())::float8 as second',
    )
    const nowSecond = now.rows[0]!.second
    const today = Math.floor(nowSecond / 86_400)
    const session = (daysAgo: number, version = 'shop@1') => ({
      projectId: project,
      version: storedText(version),
      firstSecond: (today - daysAgo) * 86_400,
      lastSecond: (today - daysAgo) * 86_400 + 3_600,
    })
    const reported = async () => {
      const { rows } = await pg.query<{ ago: number; change: string }>(
        `select $2::int - (day - date '1970-01-01') as ago, change from stale_session_days
         where project_id = $1 order by 1`,
        [project, today],
      )
      return rows
    }
    await partition.commit({ sessionReleases: [session(0), session(5)] })
    expect(await reported()).toEqual([])
    const across = { ...session(10, 'shop@2'), lastSecond: nowSecond }
    await partition.commit({ sessionReleases: [session(9), across] })
    const first = await reported()
    expect(first.map(({ ago }) => ago)).toEqual(expect.arrayContaining([8, 9, 10]))
    expect(Math.min(...first.map(({ ago }) => ago))).toBeGreaterThan(5)
    await partition.commit({ sessionReleases: [session(9)] })
    const changed = (await reported()).filter(
      ({ change }) => !first.some((one) => one.change === change),
    )
    expect(changed.map(({ ago }) => ago)).toEqual([9])
  })
})
