import { beforeEach, describe, expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { addProject } from '../../test/fixtures/workers/add-project.ts'
import { addRule, countedMatch, matchOf } from '../../test/fixtures/workers/alert-rules.ts'
import { countQueries } from '../../test/fixtures/workers/count-queries.ts'
import { hashOf, releaseOf, sumOf } from '../../test/fixtures/workers/range-output.ts'
import { TestPartition } from '../../test/fixtures/workers/test-partition.ts'
import type { Plain } from '../../test/fixtures/workers/written.ts'
import type { IssueSum } from '../digest/issue-sums.ts'
import { AlertRuleCache } from './alert-rule-cache.ts'
import { firingsPerRuleMax } from './bounded-firings.ts'

const atMs = Date.UTC(2026, 10, 16, 10, 0, 30)
const minuteMs = 60_000
const hourMs = 60 * minuteMs

let pg: Pool
let project: ProjectId
let partition: TestPartition
let cache: AlertRuleCache

usePostgres((fixture) => {
  pg = fixture.pg
  project = fixture.project
})
beforeEach(async () => {
  partition = await TestPartition.takeNew(pg)
  cache = new AlertRuleCache(pg)
})

async function commit(sums: readonly IssueSum[], versions: readonly string[] = []) {
  return partition.commit(
    {
      issues: sums,
      releases: versions.map((version) =>
        releaseOf(project, version, { firstEventMs: Date.now() + hourMs }),
      ),
    },
    [],
    await cache.read([project]),
  )
}

function sum(name: string, fields: Partial<Plain<IssueSum>> = {}): IssueSum {
  return sumOf(project, [name], {
    lastReceivedMs: atMs,
    firstSeenMs: atMs,
    lastSeenMs: atMs,
    matches: matchOf(),
    ...fields,
  })
}

const at = (ms: number, count: number, more: Parameters<typeof countedMatch>[2] = {}) => ({
  lastReceivedMs: ms,
  eventCount: count,
  matches: countedMatch(ms, count, more),
})

async function firings() {
  const { rows } = await pg.query(
    `select type, reason, at, event_id, data, short_no, notification_id from alert_firings
     left join issues on issues.id = issue_id
     where alert_firings.project_id = $1 order by alert_firings.id`,
    [project],
  )
  return rows
}

async function types(): Promise<string[]> {
  return (await firings()).map(({ type }) => type)
}

async function set(columns: string): Promise<void> {
  await pg.query(`update issues set ${columns} where project_id = $1`, [project])
}

const resolved = `status = 'resolved', substatus = null, resolved_at = to_timestamp(1), resolved_in = 'now'`
const threshold = (fields: object = {}) => ({
  type: 'event_count',
  threshold: 10,
  window_seconds: 3_600,
  compared_to: 'absolute',
  ...fields,
})

describe('a state', () => {
  test('that is new fires once, with the first event that matched, and wakes the rule', async () => {
    const rule = await addRule(pg, project, { when: [{ type: 'new_issue' }] })
    const result = await commit([sum('a')])
    expect(result.firedRules).toBe(1)
    await commit([sum('a', { lastReceivedMs: atMs + hourMs })])
    expect(await firings()).toEqual([
      {
        type: 'new_issue',
        reason: 'This error was seen for the first time.',
        at: new Date(atMs),
        event_id: expect.stringMatching(/^[-0-9a-f]{36}$/),
        data: { event: { release: 'app@1.0.0', environment: 'production' } },
        short_no: 1,
        notification_id: null,
      },
    ])
    const { rows } = await pg.query(
      'select payload from graphile_worker._private_jobs where key = $1',
      [`notify:${rule}`],
    )
    expect(rows).toEqual([{ payload: { rule_id: rule } }])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['regressed                     ', 'regression', resolved, ['regression']],
    ['regressed, without such a rule', 'escalation', resolved, []],
    ['ignored for ever              ', 'regression', `status = 'ignored', substatus = null`, []],
    ['ignored until then            ', 'regression', `status = 'ignored', substatus = null, ignored_until = to_timestamp(1)`, ['regression']],
    ['open and known                ', 'new_issue',  `substatus = 'ongoing'`, []],
  ] as const)('%s', async (_name, type, columns, wanted) => {
    await addRule(pg, project, { when: [{ type }] })
    await commit([sum('a', { matches: [] })])
    await set(columns)
    await commit([sum('a', { lastReceivedMs: atMs + 1 })])
    expect(await types()).toEqual(wanted)
  })

  test('escalating fires with both numbers', async () => {
    await addRule(pg, project, { when: [{ type: 'escalation' }] })
    await commit([sum('a', { matches: [] })])
    await pg.query(
      `insert into issue_forecasts (issue_id, made_at, expected, limits)
       select id, now(), array_fill(10, array[168]), array_fill(100, array[168]) from issues where project_id = $1`,
      [project],
    )
    await commit([sum('a', { eventCount: 200, hourCount: 200 })])
    expect(await firings()).toMatchObject([
      {
        type: 'escalation',
        reason: expect.stringContaining('since 10:00 UTC'),
        data: { numbers: { expected: 10, limit: 100 } },
      },
    ])
  })

  test('fires by the first of a rule’s conditions, and for every rule', async () => {
    const when = [{ type: 'new_issue' }, { type: 'first_in_release' }, threshold({ threshold: 1 })]
    await addRule(pg, project, { when })
    await addRule(pg, project, { when: [threshold({ threshold: 1 })] })
    await commit([sum('a', at(atMs, 5, { releases: ['app@1.0.0'] }))], ['app@1.0.0'])
    expect((await types()).sort()).toEqual(['event_count', 'new_issue'])
  })

  test('without a match of the filter does not fire', async () => {
    await addRule(pg, project, { when: [{ type: 'new_issue' }] })
    await commit([sum('a', { matches: [] })])
    expect(await types()).toEqual([])
  })

  test.each(['enabled = false', 'delete'])(
    'of a rule that is gone does not fire: %s',
    async (how) => {
      await addRule(pg, project, { when: [{ type: 'new_issue' }] })
      const rules = await cache.read([project])
      await pg.query(how === 'delete' ? 'delete from alert_rules' : `update alert_rules set ${how}`)
      await partition.commit({ issues: [sum('a')] }, [], rules)
      expect(await types()).toEqual([])
      expect(await cache.read([project])).toEqual([])
    },
  )
})

describe('a cooldown', () => {
  test.each([
    ['one second before its end', 1_799_000, 1],
    ['at its end', 1_800_000, 2],
  ])('%s', async (_name, laterMs, wanted) => {
    const when = [{ type: 'new_issue' }, { type: 'regression' }]
    await addRule(pg, project, { when, cooldown_seconds: 1_800 })
    await commit([sum('a')])
    await set(resolved)
    await commit([sum('a', { lastReceivedMs: atMs + laterMs })])
    expect(await types()).toHaveLength(wanted)
  })

  test('of another issue does not count, nor one that begins in the future', async () => {
    await addRule(pg, project, {
      when: [{ type: 'new_issue' }, { type: 'regression' }],
      cooldown_seconds: 1_800,
    })
    await commit([sum('a')])
    await commit([sum('b', { lastReceivedMs: atMs + 1 })])
    await pg.query(`update alert_subjects set fired_at = now() + interval '9 days'`)
    await set(resolved)
    await commit([sum('a', { lastReceivedMs: atMs + 2 })])
    expect(await types()).toEqual(['new_issue', 'new_issue', 'regression'])
  })
})

describe('a threshold of events', () => {
  test('is passed by more events than it, in the window that ends with the last one', async () => {
    await addRule(pg, project, { when: [threshold()] })
    await commit([sum('a', at(atMs - 2 * hourMs, 9))])
    await commit([sum('a', at(atMs, 10))])
    expect(await types()).toEqual([])
    await commit([sum('a', at(atMs + minuteMs, 1))])
    expect(await firings()).toMatchObject([
      {
        type: 'event_count',
        reason: "11 events in 1 hour; the rule's threshold is 10.",
        data: { numbers: { count: 11, threshold: 10, window_seconds: 3_600 } },
      },
    ])
  })

  test('counts the step in which the window begins in proportion', async () => {
    await addRule(pg, project, { when: [threshold({ window_seconds: 60 })] })
    await commit([sum('a', at(atMs - 30_000, 8))])
    // The last 30 seconds of that minute are in the window: half of its events.
    await commit([sum('a', at(atMs + minuteMs, 6))])
    expect(await types()).toEqual([])
    await commit([sum('a', at(atMs + minuteMs, 1))])
    expect(await types()).toEqual(['event_count'])
  })

  test('without a cooldown fires once in a window, with one after each of them', async () => {
    await addRule(pg, project, { when: [threshold()] })
    await addRule(pg, project, { when: [threshold()], cooldown_seconds: 600 })
    for (const minute of [0, 1, 9, 11, 12]) {
      await commit([sum('a', at(atMs + minute * minuteMs, 20))])
    }
    const { rows } = await pg.query(
      `select count(*)::int from alert_firings where project_id = $1 group by rule_id order by rule_id`,
      [project],
    )
    expect(rows).toEqual([{ count: 1 }, { count: 2 }])
  })

  test('relative to the window before needs ten events and the percentage', async () => {
    const compared_to = 'previous_window'
    await addRule(pg, project, { when: [threshold({ threshold: 100, compared_to })] })
    await commit([sum('a', at(atMs - 100 * minuteMs, 9))])
    await commit([sum('a', at(atMs, 18))])
    expect(await types()).toEqual([])
    await commit([sum('a', at(atMs, 1))])
    expect(await firings()).toMatchObject([
      {
        reason: '19 events in 1 hour, after 9 in the time before: more than 100 percent more.',
        data: { numbers: { count: 19, count_before: 9 } },
      },
    ])
    await commit([sum('b', at(atMs, 9))])
    expect(await types()).toHaveLength(1)
    await commit([sum('b', at(atMs, 1))])
    expect(await types()).toHaveLength(2)
  })

  test.each([`status = 'resolved'`, `status = 'ignored'`])('%s: does not fire', async (columns) => {
    await addRule(pg, project, { when: [threshold()] })
    await commit([sum('a', at(atMs, 1))])
    await set(
      `${columns}, substatus = null, resolved_at = to_timestamp(4102444800), resolved_in = 'now'`,
    )
    await commit([sum('a', at(atMs + 1, 50))])
    expect(await types()).toEqual([])
  })

  test('of a week has at most some sixty rows to add', async () => {
    await addRule(pg, project, {
      when: [threshold({ window_seconds: 7 * 86_400, threshold: 1e6 })],
    })
    for (let hour = 0; hour < 24 * 7; hour += 6) {
      await commit([sum('a', at(atMs + hour * hourMs, 1))])
    }
    const { rows } = await pg.query(
      'select count(*)::int, max(step_seconds)::int as step from alert_counts',
    )
    expect(rows[0].step).toBe(168 * 60)
    expect(rows[0].count).toBeLessThan(62)
  })
})

describe('a threshold of users', () => {
  const users = (fields: object = {}) => ({
    ...threshold({ threshold: 2, ...fields }),
    type: 'user_count',
  })

  test('counts each of them once, while they are in the window', async () => {
    await addRule(pg, project, { when: [users()] })
    await commit([sum('a', at(atMs - 2 * hourMs, 5, { users: [7, 8] }))])
    await commit([sum('a', at(atMs, 5, { users: [1, 2] }))])
    await commit([sum('a', at(atMs + 1, 5, { users: [1, 2] }))])
    expect(await types()).toEqual([])
    await commit([sum('a', at(atMs + 2, 1, { users: [3] }))])
    expect(await firings()).toMatchObject([
      { type: 'user_count', reason: "more than 2 users in 1 hour; the rule's threshold is 2." },
    ])
  })

  test('relative to the window before', async () => {
    await addRule(pg, project, {
      when: [users({ compared_to: 'previous_window', threshold: 100 })],
    })
    const some = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
    await commit([sum('a', at(atMs - hourMs, 9, { users: some(6) }))])
    await commit([sum('a', at(atMs, 99, { users: some(12) }))])
    expect(await types()).toEqual([])
    await commit([sum('a', at(atMs, 99, { users: [99] }))])
    expect(await firings()).toMatchObject([{ data: { numbers: { count: 13, count_before: 6 } } }])
  })
})

describe('the first event of an issue in a release', () => {
  beforeEach(() => addRule(pg, project, { when: [{ type: 'first_in_release' }] }))
  const inRelease = (version: string, name = 'a') =>
    commit([sum(name, at(atMs, 1, { releases: [version] }))], [version])

  test('fires once for each release that is newer than the rule', async () => {
    await commit([sum('a', { matches: [] })])
    await inRelease('app@1')
    await inRelease('app@1')
    await inRelease('app@2')
    await inRelease('app@2', 'b')
    expect((await firings()).map(({ short_no, reason }) => [short_no, reason])).toEqual([
      [1, 'This issue happens in release app@1 for the first time.'],
      [1, 'This issue happens in release app@2 for the first time.'],
      [2, 'This issue happens in release app@2 for the first time.'],
    ])
  })

  test('that was told as a new one is no first event of its release later', async () => {
    await addRule(pg, project, { when: [{ type: 'new_issue' }, { type: 'first_in_release' }] })
    await inRelease('app@1')
    await inRelease('app@1')
    await inRelease('app@2')
    const { rows } = await pg.query(
      `select array_agg(type order by id) as types from alert_firings where project_id = $1
       group by rule_id order by 1`,
      [project],
    )
    expect(rows.map(({ types }) => types)).toEqual([
      ['first_in_release', 'first_in_release'],
      ['new_issue', 'first_in_release'],
    ])
  })

  test('in an older release fires only for a new issue', async () => {
    await commit([sum('a', { matches: [] })])
    await pg.query(
      `insert into releases (project_id, version, first_event_at, last_event_at, event_count)
       values ($1, 'old', now() - interval '1 day', now(), 1)`,
      [project],
    )
    const old = at(atMs, 1, { releases: ['old'] })
    await commit([sum('a', old), sum('b', old)])
    expect((await firings()).map(({ short_no }) => short_no)).toEqual([2])
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['new issues',                    [{ type: 'new_issue' }]],
  ['a new release',                 [{ type: 'first_in_release' }]],
  ['a threshold',                   [threshold({ threshold: 1 })]],
  ['all of them, each issue once',  [{ type: 'new_issue' }, { type: 'first_in_release' }, threshold({ threshold: 1 })]],
] as const)('a storm has a bounded number of rows, and all are counted: %s', async (_name, when) => {
  await addRule(pg, project, { when })
  const count = firingsPerRuleMax + 7
  const fields = at(atMs, 2, { releases: ['app@1'] })
  await commit(Array.from({ length: count }, (_, index) => sumNo(index, fields)), ['app@1'])
  const stored = await firings()
  expect(stored).toHaveLength(firingsPerRuleMax + 1)
  expect(stored.at(-1)).toMatchObject({ data: { more: 7 }, short_no: null })
})

function sumNo(index: number, fields: Partial<Plain<IssueSum>>): IssueSum {
  return sum(`no ${index}`, {
    ...fields,
    coarse: { kind: `kind ${index}`, hash: hashOf(`coarse ${index}`), explanation: '{}' },
  })
}

test('hostile releases and reasons are stored as text', async () => {
  await addRule(pg, project, { when: [{ type: 'new_issue' }, { type: 'first_in_release' }] })
  const release = `x'; drop table alert_firings; -- \\ "{" %s $1`
  const first = { eventId: hashOf('e'), release, environment: '__proto__' }
  await commit([sum('a', { matches: matchOf({ first }) })])
  expect(await firings()).toMatchObject([
    { data: { event: { release, environment: '__proto__' } } },
  ])
})

test('a commit runs the same number of queries for any number of rules and issues, and none without a match', async () => {
  const count = async (rules: number, issues: number) => {
    project = await addProject(pg)
    const when = [
      { type: 'new_issue' },
      { type: 'first_in_release' },
      threshold({ threshold: 1 }),
      { ...threshold({ threshold: 1 }), type: 'user_count' },
      { ...threshold({ threshold: 1, compared_to: 'previous_window' }), type: 'user_count' },
    ]
    await commit([sum('before', { matches: [] })])
    const without = await countQueries(pg, () =>
      partition.commit({ issues: [sum('before', { matches: [] })] }),
    )
    for (let index = 0; index < rules; index += 1) await addRule(pg, project, { when })
    const alertRules = await cache.read([project])
    const some = Array.from({ length: issues }, (_, index) => `issue ${index}`)
    const sums = some.map((name) => sum(name, at(atMs, 20, { users: [1, 2], releases: ['r'] })))
    await partition.commit({ issues: sums.map((one) => ({ ...one, matches: [] })) })
    const matched = await countQueries(pg, () => partition.commit({ issues: sums }, [], alertRules))
    const unmatched = await countQueries(pg, () =>
      partition.commit({ issues: [sum('before', { matches: [] })] }, [], alertRules),
    )
    expect(unmatched).toBe(without)
    expect(await types()).toHaveLength(rules * issues)
    return matched - without
  }
  const one = await count(1, 1)
  expect(one).toBeLessThanOrEqual(9)
  expect(await count(5, 20)).toBe(one)
})
