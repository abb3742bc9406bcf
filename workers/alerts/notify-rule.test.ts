import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import { inTransaction } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { AlertFilter } from '#schemas/rest/alerts/alert.ts'
import { Notification } from '#schemas/rest/alerts/notification.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { addRule, matchOf, type NewRule } from '../../test/fixtures/workers/alert-rules.ts'
import { hashOf, sumOf } from '../../test/fixtures/workers/range-output.ts'
import { TestPartition } from '../../test/fixtures/workers/test-partition.ts'
import { AlertRuleCache } from './alert-rule-cache.ts'
import { addFirings } from './cause-store.ts'
import { wakeRules } from './firing-store.ts'
import { resumeNotifications } from './notification-store.ts'
import { type NotifyContext, notifyRule } from './notify-rule.ts'

const startMs = Date.UTC(2026, 10, 16, 10)
const minuteMs = 60_000

let pg: Pool
let project: ProjectId
let partition: TestPartition
let nowMs: number
let ctx: NotifyContext

usePostgres((fixture) => {
  pg = fixture.pg
  project = fixture.project
})
beforeEach(async () => {
  partition = await TestPartition.takeNew(pg)
  nowMs = startMs
  ctx = {
    pg,
    clock: { nowMs: () => nowMs },
    publicUrl: 'https://sluice.test',
    countUsers: async (ids) => new Map(ids.map((id) => [id, 3])),
  }
})

const newIssues = (fields: Partial<NewRule> = {}) =>
  addRule(pg, project, { when: [{ type: 'new_issue' }], ...fields })

let named = 0
/** Commits new issues at the present time. */
async function issues(count: number): Promise<void> {
  const rules = await new AlertRuleCache(pg).read([project])
  const sums = Array.from({ length: count }, () => {
    named += 1
    return sumOf(project, [`issue ${named}`], {
      lastReceivedMs: nowMs,
      firstSeenMs: nowMs,
      lastSeenMs: nowMs,
      matches: matchOf(),
      coarse: { kind: `kind ${named}`, hash: hashOf(`coarse ${named}`), explanation: '{}' },
    })
  })
  await partition.commit({ issues: sums }, [], rules)
}

async function deliveries() {
  const { rows } = await pg.query<{ target_id: string; payload: Notification; created_at: Date }>(
    `select target_id, payload, d.created_at from notification_deliveries d
     join alert_rules r on r.id = d.rule_id where project_id = $1 order by d.created_at, d.id`,
    [project],
  )
  return rows
}

async function waiting(): Promise<number> {
  const { rows } = await pg.query(
    'select count(*)::int from alert_firings where project_id = $1 and notification_id is null',
    [project],
  )
  return rows[0].count
}

async function jobs(key: string) {
  const { rows } = await pg.query(
    'select run_at from graphile_worker._private_jobs where key = $1',
    [key],
  )
  return rows.map(({ run_at }) => run_at.getTime())
}

test('one firing is told as itself, to every target, with a job for each', async () => {
  const rule = await newIssues({ targets: 3 })
  await issues(1)
  expect(await notifyRule(ctx, rule)).toEqual({ kind: 'notified', count: 1, targets: 3 })
  const sent = await deliveries()
  expect(new Set(sent.map(({ target_id }) => target_id)).size).toBe(3)
  for (const { target_id } of sent) expect(await jobs(`deliver:${target_id}`)).toHaveLength(1)
  const { rows } = await pg.query(
    'select p.id as project, i.id as issue from issues i join projects p on dsn_id = project_id where dsn_id = $1',
    [project],
  )
  const payload = Notification.parse(sent[0]!.payload)
  expect(payload).toMatchObject({
    type: 'issue.new',
    timestamp: '2026-11-16T10:00:00.000Z',
    data: {
      project: { id: rows[0].project, name: 'p' },
      rule: { id: rule, name: 'A rule' },
      reason: 'This error was seen for the first time.',
      issue: {
        id: rows[0].issue,
        short_id: 'P-1',
        culprit: 'main',
        level: 'error',
        count: 1,
        user_count: 3,
        url: `https://sluice.test/projects/${rows[0].project}/issues/${rows[0].issue}`,
        first_seen: '2026-11-16T10:00:00.000Z',
      },
      event: { id: hashOf('event'), release: 'app@1.0.0', environment: 'production' },
    },
  })
  expect(payload.data.digest).toBeUndefined()
})

test('a second run of the job tells nothing', async () => {
  const rule = await newIssues()
  await issues(1)
  await Promise.all([notifyRule(ctx, rule), notifyRule(ctx, rule), notifyRule(ctx, rule)])
  expect(await deliveries()).toHaveLength(1)
})

test('what fires within the digest interval is one digest at its end', async () => {
  const rule = await newIssues({ digest_seconds: 600 })
  await issues(1)
  await notifyRule(ctx, rule)
  nowMs += minuteMs
  await issues(24)
  expect(await notifyRule(ctx, rule)).toEqual({
    kind: 'postponed',
    until: new Date(startMs + 10 * minuteMs),
  })
  expect(await jobs(`notify:${rule}`)).toHaveLength(1)
  nowMs = startMs + 10 * minuteMs
  expect(await notifyRule(ctx, rule)).toMatchObject({ kind: 'notified', count: 24 })
  const [, digest] = await deliveries()
  const payload = Notification.parse(digest!.payload)
  expect(payload.type).toBe('alert.digest')
  expect(payload.data.reason).toBe('This rule fired 24 times in 9 minutes.')
  expect(payload.data.digest).toMatchObject({ count: 24, more: 4 })
  expect(payload.data.digest!.firings).toHaveLength(20)
  expect(payload.data.digest!.firings[0]).toMatchObject({
    type: 'issue.new',
    at: '2026-11-16T10:01:00.000Z',
    issue: { short_id: 'P-2' },
  })
})

test('a storm of 10,000 new issues sends at most one notification per rule and minute, and counts all', async () => {
  const rules = [await newIssues(), await newIssues({ digest_seconds: 120 })]
  const seconds = 5 * 60
  for (let second = 0; second < seconds; second += 10) {
    nowMs = startMs + second * 1000
    await issues(334)
    for (const rule of rules) await notifyRule(ctx, rule)
  }
  nowMs = startMs + seconds * 1000 + 120_000
  for (const rule of rules) await notifyRule(ctx, rule)
  const { rows } = await pg.query<{ rule_id: string; created_at: Date; count: number }>(
    `select rule_id, created_at, coalesce((payload -> 'data' -> 'digest' ->> 'count')::int, 1) as count
     from notification_deliveries where rule_id = any($1) order by created_at`,
    [rules],
  )
  for (const rule of rules) {
    const told = rows.filter(({ rule_id }) => rule_id === rule)
    const minutes = told.map(({ created_at }) => Math.floor(created_at.getTime() / minuteMs))
    expect(new Set(minutes).size).toBe(minutes.length)
    expect(told.reduce((sum, { count }) => sum + count, 0)).toBe(30 * 334)
  }
  expect(await waiting()).toBe(0)
})

describe('silence', () => {
  test('of quiet hours ends with one digest', async () => {
    const quiet_hours = { from: '09:00', to: '12:00', timezone: 'Europe/Berlin' }
    const rule = await newIssues({ quiet_hours })
    await issues(2)
    // 12:00 in Berlin.
    const end = Date.UTC(2026, 10, 16, 11)
    expect(await notifyRule(ctx, rule)).toEqual({ kind: 'postponed', until: new Date(end) })
    expect(await jobs(`notify:${rule}`)).toHaveLength(1)
    nowMs = end
    expect(await notifyRule(ctx, rule)).toMatchObject({ kind: 'notified', count: 2 })
  })

  test('of a mute that ends in quiet hours lasts until their end', async () => {
    const quiet_hours = { from: '22:00', to: '07:00', timezone: 'UTC' }
    const rule = await newIssues({ quiet_hours })
    await pg.query(`update alert_rules set muted_until = '2026-11-16T23:00:00Z' where id = $1`, [
      rule,
    ])
    await issues(1)
    expect(await notifyRule(ctx, rule)).toEqual({
      kind: 'postponed',
      until: new Date('2026-11-17T07:00:00Z'),
    })
  })

  test('after a clock that was ahead lasts no longer than the digest interval', async () => {
    const rule = await newIssues()
    nowMs = startMs + 365 * 86_400_000
    await issues(1)
    await notifyRule(ctx, rule)
    nowMs = startMs
    await issues(1)
    expect(await notifyRule(ctx, rule)).toMatchObject({ kind: 'notified' })
  })

  test('of a disabled rule is not made up for', async () => {
    const rule = await newIssues()
    await issues(3)
    await pg.query('update alert_rules set enabled = false where id = $1', [rule])
    expect(await notifyRule(ctx, rule)).toEqual({ kind: 'nothing' })
    await pg.query('update alert_rules set enabled = true where id = $1', [rule])
    expect(await notifyRule(ctx, rule)).toEqual({ kind: 'nothing' })
    expect(await deliveries()).toEqual([])
  })
})

test('nothing is told about issues that were deleted meanwhile, nor by a deleted rule', async () => {
  const rule = await newIssues()
  await issues(2)
  await pg.query('delete from issues where project_id = $1', [project])
  expect(await notifyRule(ctx, rule)).toEqual({ kind: 'nothing' })
  await issues(1)
  await pg.query('delete from alert_rules where id = $1', [rule])
  expect(await notifyRule(ctx, rule)).toEqual({ kind: 'nothing' })
})

test('the link goes to the issue that has the events now', async () => {
  const rule = await newIssues()
  await issues(3)
  await pg.query(
    `update issues i set merged_into = n.id from issues n
     where i.project_id = $1 and n.project_id = $1 and n.short_no = i.short_no + 1`,
    [project],
  )
  await notifyRule(ctx, rule)
  const payload = (await deliveries())[0]!.payload
  expect(payload.data.digest!.firings.map(({ issue }) => issue?.short_id)).toEqual([
    'P-3',
    'P-3',
    'P-3',
  ])
})

test('a target that is disabled gets nothing, and a rule without targets waits for none', async () => {
  const rule = await newIssues({ targets: 2 })
  await pg.query(
    `update notification_targets set disabled_at = now() where id = (
       select id from notification_targets where rule_id = $1 limit 1)`,
    [rule],
  )
  await issues(1)
  expect(await notifyRule(ctx, rule)).toMatchObject({ targets: 1 })
  await pg.query('delete from notification_targets where rule_id = $1', [rule])
  await issues(1)
  nowMs += minuteMs
  expect(await notifyRule(ctx, rule)).toEqual({ kind: 'notified', count: 1, targets: 0 })
  expect(await waiting()).toBe(0)
})

test('jobs that were lost are enqueued again, and only those of rules with something to tell', async () => {
  const rule = await newIssues()
  await newIssues({ if: { environment: ['none'] } })
  await issues(1)
  await pg.query(`select graphile_worker.remove_job($1)`, [`notify:${rule}`])
  await pg.query(`delete from alert_firings where rule_id <> $1`, [rule])
  expect(await resumeNotifications(pg, new Date(nowMs))).toBe(1)
  expect(await jobs(`notify:${rule}`)).toHaveLength(1)
  const setTime = (column: string) =>
    pg.query(`update alert_rules set ${column} = $2 where id = $1`, [rule, new Date(nowMs + 1)])
  for (const column of ['muted_until', 'next_notification_at']) {
    await setTime(column)
    expect(await resumeNotifications(pg, new Date(nowMs))).toBe(0)
    expect(await resumeNotifications(pg, new Date(nowMs + 1))).toBe(1)
  }
})

describe('a cause that is no issue', () => {
  const cause = (type: string, fields: object = {}) => ({
    projectId: project,
    type: type as 'new_idea',
    cause: `${type} 1`,
    reason: 'Something happened.',
    data: {},
    atMs: nowMs,
    ...fields,
  })
  const fire = (...causes: ReturnType<typeof cause>[]) =>
    inTransaction(pg, async (client) => {
      const fired = await addFirings(client, causes)
      await wakeRules(client, fired)
      return fired
    })

  // biome-ignore format: the columns are the point
  test.each([
    [{ type: 'monitor_failed' },                                 'monitor_failed', 'missed', 1],
    [{ type: 'monitor_failed', kinds: ['error', 'missed'] },     'monitor_failed', 'missed', 1],
    [{ type: 'monitor_failed', kinds: ['error'] },               'monitor_failed', 'missed', 0],
    [{ type: 'monitor_recovered' },                              'monitor_failed', 'missed', 0],
    [{ type: 'idea_status', to: ['planned'] },                   'idea_status', 'planned', 1],
    [{ type: 'idea_status', to: ['planned'] },                   'idea_status', 'done', 0],
    [{ type: 'idea_status' },                                    'idea_status', 'done', 1],
    [{ type: 'quota', percents: [80, 100] },                     'quota', '80', 1],
    [{ type: 'quota', percents: [80, 100] },                     'quota', '50', 0],
    [{ type: 'new_feedback' },                                   'new_feedback', undefined, 1],
  ] as const)('%j and %s %s', async (condition, type, value, wanted) => {
    await addRule(pg, project, { when: [{ type: 'new_idea' }, condition] })
    expect(await fire(cause(type, { value }))).toHaveLength(wanted)
  })

  test.each<[type: string, filter: AlertFilter, wanted: number]>([
    ['monitor_failed', { environment: ['production', 'dev'] }, 1],
    ['monitor_failed', { environment: ['staging'] }, 0],
    ['monitor_recovered', { environment: ['staging'] }, 0],
    ['monitor_recovered', { level: ['fatal'] }, 1],
    ['new_feedback', { environment: ['staging'] }, 1],
  ])('%s of production with %j', async (type, filter, wanted) => {
    await addRule(pg, project, { when: [{ type }], if: filter })
    const monitor = { id: randomUUID(), slug: 'backup', environment: 'production' }
    expect(await fire(cause(type, { data: { monitor } }))).toHaveLength(wanted)
  })

  test('PagerDuty and Opsgenie are told of every monitor that works again, also in a digest', async () => {
    const when = [{ type: 'monitor_failed' }, { type: 'monitor_recovered' }]
    const rule = await addRule(pg, project, { when, targets: 3 })
    await pg.query(
      `update notification_targets t set type = kinds.type from (
         select id, (array['webhook', 'pagerduty', 'opsgenie'])[row_number() over ()] as type
         from notification_targets where rule_id = $1) kinds where kinds.id = t.id`,
      [rule],
    )
    const [backup, report, again] = ['backup', 'report', 'again'].map((slug) => ({
      ...{ id: randomUUID(), slug, environment: 'production' },
    }))
    let no = 0
    const happen = (type: string, monitor: unknown) => {
      no += 1
      return fire(cause(type, { cause: `cause ${no}`, data: { monitor } }))
    }
    await happen('monitor_failed', backup)
    await happen('monitor_recovered', report)
    await happen('monitor_recovered', again)
    await happen('monitor_recovered', backup)
    await happen('monitor_failed', again)
    expect(await notifyRule(ctx, rule)).toMatchObject({ kind: 'notified', count: 5 })
    const { rows } = await pg.query(
      `select t.type, payload ->> 'type' as told, payload #>> '{data,monitor,slug}' as slug
       from notification_deliveries d join notification_targets t on t.id = target_id
       where d.rule_id = $1 order by 1, 2, 3`,
      [rule],
    )
    const told = (type: string, ...slugs: string[]) => [
      { type, told: 'alert.digest', slug: null },
      ...slugs.map((slug) => ({ type, told: 'monitor.recovered', slug })),
    ]
    expect(rows).toEqual([
      ...told('opsgenie', 'backup', 'report'),
      ...told('pagerduty', 'backup', 'report'),
      ...told('webhook'),
    ])
  })

  test('fires once, wakes its rule, and links to its page', async () => {
    const rule = await addRule(pg, project, { when: [{ type: 'new_idea' }] })
    const id = randomUUID()
    const idea = { id, title: `A ' "quote" \\ {}`, status: 'open' }
    await fire(cause('new_idea', { data: { idea } }))
    expect(await fire(cause('new_idea', { data: { idea } }))).toEqual([])
    expect(await jobs(`notify:${rule}`)).toHaveLength(1)
    await notifyRule(ctx, rule)
    const payload = (await deliveries())[0]!.payload
    expect(Notification.parse(payload)).toMatchObject({
      type: 'idea.created',
      data: { reason: 'Something happened.', idea: { ...idea, url: expect.stringMatching(id) } },
    })
  })

  test('of an API action is one call, and rolls back with it', async () => {
    await addRule(pg, project, { when: [{ type: 'new_feedback' }] })
    const call = `select fire_rules($1, 'new_feedback', 'feedback:1', null, 'Feedback.', '{}')`
    await expect(
      inTransaction(pg, async (client) => {
        await client.query(call, [project])
        throw new Error('undone')
      }),
    ).rejects.toThrow('undone')
    expect(await waiting()).toBe(0)
    const { rows } = await pg.query(call, [project])
    expect(rows).toEqual([{ fire_rules: 1 }])
    expect(await waiting()).toBe(1)
  })
})
