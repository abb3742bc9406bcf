import { beforeEach, describe, expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { countQueries } from '../../test/fixtures/workers/count-queries.ts'
import { releaseOf, sumOf } from '../../test/fixtures/workers/range-output.ts'
import { TestPartition } from '../../test/fixtures/workers/test-partition.ts'
import type { Plain } from '../../test/fixtures/workers/written.ts'
import type { IssueSum } from '../digest/issue-sums.ts'

const hourMs = 3_600_000
/** A Monday, 10:00 UTC: the eleventh hour of the week. */
const hour = Date.UTC(2026, 10, 16, 10)
const atMs = hour + 60_000
const hourOfWeek = 10

let pg: Pool
let project: ProjectId
let partition: TestPartition

usePostgres((fixture) => {
  pg = fixture.pg
  project = fixture.project
})
beforeEach(async () => {
  partition = await TestPartition.takeNew(pg)
  await events({ lastReceivedMs: hour - 50 * hourMs })
  // A person has looked at it, long after it was made.
  await set(
    `substatus = 'ongoing', triage_at = null, triage_reason = null, created_at = to_timestamp(${hour / 1000}) - interval '30 days'`,
  )
})

function events(fields: Partial<Plain<IssueSum>>, name = 'app') {
  return partition.commit({ issues: [sumOf(project, [name], fields)] })
}

async function set(columns: string): Promise<void> {
  await pg.query(`update issues set ${columns} where project_id = $1`, [project])
}

async function issue() {
  const { rows } = await pg.query(
    `select id, status, substatus, count, resolved_at, resolved_in, resolved_release, resolved_commit,
       ignored_until_users, ignored_until_escalating, ignored_users, triage_at, triage_reason, snoozed_until,
       escalated_at, escalation, hour_at, hour_count
     from issues where project_id = $1`,
    [project],
  )
  return rows[0]
}

async function activity() {
  const { rows } = await pg.query(
    `select kind, data from issue_activity join issues on issues.id = issue_id
     where project_id = $1 order by issue_activity.id`,
    [project],
  )
  return rows
}

async function forecast(limit: number, expected = 10): Promise<void> {
  const fill = (value: number) =>
    Array.from({ length: 168 }, (_, at) => (at === hourOfWeek ? value : 1))
  await pg.query(
    `insert into issue_forecasts (issue_id, made_at, expected, limits)
     select id, now(), $2, $3 from issues where project_id = $1
     on conflict (issue_id) do update set expected = excluded.expected, limits = excluded.limits`,
    [project, fill(expected), fill(limit)],
  )
}

async function ignoredUsers(): Promise<number> {
  const { rows } = await pg.query('select from issue_ignored_users')
  return rows.length
}

test('a new issue is in the triage queue since its events were received', async () => {
  await events({ lastReceivedMs: atMs }, 'other')
  const { rows } = await pg.query(
    `select triage_at, triage_reason, hour_at, hour_count from issues where project_id = $1 and short_no = 2`,
    [project],
  )
  expect(rows).toEqual([
    { triage_at: new Date(atMs), triage_reason: 'new', hour_at: new Date(hour), hour_count: 1 },
  ])
})

describe('A resolved issue', () => {
  const received = (...versions: string[]) => ({
    lastReceivedMs: atMs,
    releases: versions.map((version) => ({ version, lastReceivedMs: atMs })),
  })

  beforeEach(() =>
    set(`status = 'resolved', substatus = null, resolved_at = to_timestamp(${hour / 1000}),
         resolved_in = 'release', resolved_release = 'app@2.0.0'`),
  )

  test('stays resolved when an old release still sends the error', async () => {
    expect((await events(received('app@1.9.0', ''))).regressedIssues).toBe(0)
    expect(await issue()).toMatchObject({ status: 'resolved', count: 2, triage_at: null })
    expect(await activity()).toEqual([])
  })

  test('regresses by one new release among old ones, and enters the queue', async () => {
    await events(received('app@1.9.0', 'app@2.0.1', 'app@1.0.0'))
    expect(await issue()).toMatchObject({
      status: 'unresolved',
      substatus: 'regressed',
      resolved_at: null,
      resolved_in: null,
      resolved_release: null,
      resolved_commit: null,
      triage_at: new Date(atMs),
      triage_reason: 'regressed',
      snoozed_until: null,
    })
    expect(await activity()).toEqual([
      {
        kind: 'regressed',
        data: { release: 'app@2.0.1', resolved_in: 'release', resolved_release: 'app@2.0.0' },
      },
    ])
  })

  test('ignores a new release whose events were received before the resolution', async () => {
    const releases = [
      { version: 'app@2.0.1', lastReceivedMs: hour },
      { version: 'app@1.0.0', lastReceivedMs: atMs },
    ]
    await events({ lastReceivedMs: atMs, releases })
    expect(await issue()).toMatchObject({ status: 'resolved' })
  })

  test('compares revisions by when they were first seen', async () => {
    const [old, fixed, later] = ['a', 'b', 'c'].map((digit) => digit.repeat(40))
    const seen = [old, fixed, later].map((version, index) =>
      releaseOf(project, version!, { firstEventMs: hour + index * 1000, lastEventMs: atMs }),
    )
    await set(`resolved_release = '${fixed}'`)
    const commit = (version: string) =>
      partition.commit({
        issues: [sumOf(project, ['app'], received(version))],
        releases: seen,
      })
    await commit(old!)
    expect(await issue()).toMatchObject({ status: 'resolved' })
    await commit(later!)
    expect(await issue()).toMatchObject({ status: 'unresolved', substatus: 'regressed' })
  })

  test('in a commit regresses by the release that contains it, also named by a prefix', async () => {
    await set(`resolved_in = 'commit', resolved_release = null, resolved_commit = 'abc1234'`)
    await pg.query(
      `insert into releases (project_id, version, first_event_at, last_event_at, event_count, commits)
       values ($1, 'app@2.0.0', now(), now(), 1, '{ffff,ABC1234def}')`,
      [project],
    )
    await events(received('app@1.0.0'))
    expect(await issue()).toMatchObject({ status: 'resolved' })
    await events(received('app@2.1.0'))
    expect(await issue()).toMatchObject({ status: 'unresolved', substatus: 'regressed' })
  })

  test('of a version that did not know releases regresses by any event', async () => {
    await set('resolved_in = null, resolved_release = null')
    await events(received(''))
    expect(await issue()).toMatchObject({ substatus: 'regressed' })
    expect(await activity()).toMatchObject([{ data: { release: null, resolved_in: 'now' } }])
  })

  test('survives names that no release should have', async () => {
    const names = [`x'; drop table issues; --`, '{"a":1}', '\\', '%', '__proto__', 'a'.repeat(250)]
    await set(`resolved_in = 'commit', resolved_commit = '%'`)
    await events(received(...names))
    expect(await issue()).toMatchObject({ status: 'unresolved' })
  })
})

describe('An ignored issue', () => {
  const ignore = (columns: string) => set(`status = 'ignored', substatus = null, ${columns}`)

  // biome-ignore format: the columns are the point
  test.each([
    ['forever, never                        ', `ignored_until = null`, 1_000, 'ignored', undefined],
    ['until a time, not before it           ', `ignored_until = to_timestamp(${(atMs + 1) / 1000})`, 1, 'ignored', undefined],
    ['until a time, at it                   ', `ignored_until = to_timestamp(${atMs / 1000})`, 1, 'unresolved', { which: 'at', until: new Date(atMs).toISOString() }],
    ['until a count, one event before       ', `ignored_until_count = 11`, 9, 'ignored', undefined],
    ['until a count, with the last event    ', `ignored_until_count = 11`, 10, 'unresolved', { which: 'events', count: 11, until: 11 }],
    ['the first of two conditions           ', `ignored_until_count = 5, ignored_until_escalating = true`, 10, 'unresolved', { which: 'events', count: 11, until: 5 }],
    ['a hostile count                       ', `ignored_until_count = 9223372036854775807 - 1000`, 10, 'ignored', undefined],
  ] as const)('%s', async (_name, columns, eventCount, status, data) => {
    await ignore(columns)
    await events({ lastReceivedMs: atMs, eventCount })
    expect(await issue()).toMatchObject({
      status,
      substatus: status === 'ignored' ? null : 'ongoing',
      triage_reason: status === 'ignored' ? null : 'returned',
      triage_at: status === 'ignored' ? null : new Date(atMs),
    })
    expect(await activity()).toEqual(data === undefined ? [] : [{ kind: 'returned', data }])
  })

  test('returns with the last of so many users, each counted once', async () => {
    await ignore('ignored_until_users = 3')
    await events({ lastReceivedMs: atMs, users: [1, 2] })
    await events({ lastReceivedMs: atMs, users: [2, 1] })
    expect(await issue()).toMatchObject({ status: 'ignored', ignored_users: 2 })
    await events({ lastReceivedMs: atMs, users: [2 ** 53 - 1, 2] })
    expect(await issue()).toMatchObject({
      status: 'unresolved',
      ignored_until_users: null,
      ignored_users: 0,
    })
    expect(await activity()).toEqual([
      { kind: 'returned', data: { which: 'users', count: 3, until: 3 } },
    ])
    expect(await ignoredUsers()).toBe(0)
  })

  test('counts users from the start when it is ignored again', async () => {
    await ignore('ignored_until_users = 3')
    await events({ lastReceivedMs: atMs, users: [1, 2] })
    await set(`status = 'unresolved', ignored_until_users = null`)
    await ignore('ignored_until_users = 3')
    expect([await ignoredUsers(), (await issue()).ignored_users]).toEqual([0, 0])
    await events({ lastReceivedMs: atMs, users: [1, 2] })
    expect(await issue()).toMatchObject({ status: 'ignored', ignored_users: 2 })
  })

  test('counts users once when two partitions commit them concurrently', async () => {
    await ignore('ignored_until_users = 100')
    const others = await Promise.all([1, 2, 3].map(() => TestPartition.takeNew(pg)))
    const users = Array.from({ length: 40 }, (_, user) => user + 1)
    await Promise.all(
      others.map((one, index) =>
        one.commit({
          issues: [
            sumOf(project, ['app'], {
              lastReceivedMs: atMs,
              users: users.slice(index * 10, index * 10 + 20),
            }),
          ],
        }),
      ),
    )
    expect(await issue()).toMatchObject({ ignored_users: 40, status: 'ignored' })
  })

  test('until it escalates stays at its limit, and returns to the queue above it', async () => {
    await ignore('ignored_until_escalating = true')
    await forecast(100)
    await events({ lastReceivedMs: atMs, eventCount: 100 })
    expect(await issue()).toMatchObject({ status: 'ignored' })
    await events({ lastReceivedMs: atMs, eventCount: 1 })
    expect(await issue()).toMatchObject({
      status: 'unresolved',
      substatus: 'ongoing',
      escalated_at: new Date(atMs),
      triage_reason: 'escalating',
      ignored_until_escalating: false,
    })
  })

  test('forever never escalates', async () => {
    await ignore('ignored_until = null')
    await forecast(100)
    await events({ lastReceivedMs: atMs, eventCount: 5_000 })
    expect(await issue()).toMatchObject({ status: 'ignored', escalated_at: null })
  })
})

describe('An unresolved issue', () => {
  test('escalates above the limit of the hour and says why with both numbers', async () => {
    await forecast(100)
    await events({ lastReceivedMs: atMs, eventCount: 60 })
    expect(await issue()).toMatchObject({ escalated_at: null, triage_at: null })
    await events({ lastReceivedMs: atMs + 1000, eventCount: 41 })
    const data = { hour: new Date(hour).toISOString(), count: 101, expected: 10, limit: 100 }
    expect(await issue()).toMatchObject({
      status: 'unresolved',
      substatus: 'ongoing',
      escalated_at: new Date(atMs + 1000),
      escalation: data,
      triage_at: new Date(atMs + 1000),
      triage_reason: 'escalating',
    })
    expect(await activity()).toEqual([{ kind: 'escalating', data }])
  })

  test('escalates again only in an hour that begins a day later', async () => {
    await forecast(100)
    await events({ lastReceivedMs: atMs, eventCount: 101 })
    await events({ lastReceivedMs: atMs + 23 * hourMs, eventCount: 5_000 })
    expect(await activity()).toHaveLength(1)
    await events({ lastReceivedMs: atMs + 25 * hourMs, eventCount: 5_000 })
    expect(await activity()).toHaveLength(2)
    // It was in the queue all the time.
    expect(await issue()).toMatchObject({ triage_at: new Date(atMs) })
  })

  test('that was reviewed or ignored does not escalate again at once', async () => {
    await forecast(100)
    await events({ lastReceivedMs: atMs, eventCount: 101 })
    const cleared = 'escalated_at = null, escalation = null, triage_at = null, triage_reason = null'
    await set(cleared)
    await events({ lastReceivedMs: atMs + 1000, eventCount: 500 })
    await set(`status = 'ignored', substatus = null, ignored_until_escalating = true, ${cleared}`)
    await events({ lastReceivedMs: atMs + 2000, eventCount: 500 })
    expect(await issue()).toMatchObject({ status: 'ignored', escalated_at: null })
    expect(await activity()).toHaveLength(1)
  })

  test('counts each hour by itself, and not what is received late', async () => {
    await forecast(100)
    await events({ lastReceivedMs: atMs, eventCount: 90 })
    await events({ lastReceivedMs: atMs - hourMs, eventCount: 90 })
    expect(await issue()).toMatchObject({ hour_at: new Date(hour), hour_count: 90 })
    await events({ lastReceivedMs: atMs + hourMs, eventCount: 90, hourCount: 7 })
    expect(await issue()).toMatchObject({ hour_at: new Date(hour + hourMs), hour_count: 7 })
    expect(await activity()).toEqual([])
  })

  test('begins its hours again after a clock was years ahead', async () => {
    await events({ lastReceivedMs: atMs + 365 * 24 * hourMs, eventCount: 3 })
    await events({ lastReceivedMs: atMs, eventCount: 4 })
    expect(await issue()).toMatchObject({ hour_at: new Date(hour), hour_count: 4 })
  })

  test('without a forecast escalates if it was quiet, and not if it is young or was busy', async () => {
    await events({ lastReceivedMs: atMs, eventCount: 51 })
    expect(await activity()).toMatchObject([{ kind: 'escalating', data: { count: 51, limit: 50 } }])
    await set(`last_escalated_at = null, count = 1000`)
    await events({ lastReceivedMs: atMs + 1000, eventCount: 100 })
    await set(`count = 100, created_at = to_timestamp(${hour / 1000}) - interval '6 days'`)
    await events({ lastReceivedMs: atMs + 2000, eventCount: 100 })
    expect(await activity()).toHaveLength(1)
  })

  test('that is snoozed is shown again when it escalates', async () => {
    await forecast(100)
    await set(`triage_at = now(), triage_reason = 'new', snoozed_until = now() + interval '9 days'`)
    await events({ lastReceivedMs: atMs, eventCount: 101 })
    expect(await issue()).toMatchObject({ snoozed_until: null, triage_reason: 'escalating' })
  })
})

test('a commit runs the same number of queries for one issue and for fifty', async () => {
  const count = async (issues: number) => {
    const names = Array.from({ length: issues }, (_, index) => `issue ${index}`)
    const sums = (fields: Partial<Plain<IssueSum>>) =>
      names.map((name) => sumOf(project, [name], fields))
    await partition.commit({ issues: sums({}) })
    await set(`status = 'resolved', resolved_at = to_timestamp(1), resolved_in = 'next_release',
      resolved_release = 'a'`)
    const queries = await countQueries(pg, () =>
      partition.commit({
        issues: sums({ lastReceivedMs: atMs, lastRelease: 'b', users: [1, 2] }),
        releases: [
          releaseOf(project, 'a'),
          releaseOf(project, 'b', { firstEventMs: 9_000, lastEventMs: 9_000 }),
        ],
      }),
    )
    const { rows } = await pg.query(
      `select from issues where project_id = $1 and substatus = 'regressed'`,
      [project],
    )
    return { queries, regressed: rows.length }
  }
  const one = await count(1)
  const fifty = await count(50)
  expect([one.regressed, fifty.regressed]).toEqual([1, 50])
  expect(fifty.queries).toBe(one.queries)
})
