import { v7 as uuidv7 } from 'uuid'
import { beforeAll, describe, expect, test } from 'vitest'
import { CodedError } from '#schemas/error-codes.ts'
import { ProjectOverview } from '#schemas/rest/overview.ts'
import { apiOfThisFile, at, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { reportOverview } from './report-overview.ts'

const api = apiOfThisFile()
let tenant: Tenant

beforeAll(async () => {
  tenant = await api().tenant('Shop')
})

const overviewOf = async (of: Tenant) => (await api().of(of, '/overview')).body

test('a new project has nothing', async () => {
  const { status, body } = await api().of(tenant, '/overview')
  const { id, dsnId, projectKey } = tenant.project
  expect([status, body]).toEqual([
    200,
    {
      project: { id, name: 'Shop', dsn_id: String(dsnId), project_key: projectKey },
      counts: {
        unresolved_issues: 0,
        triage: 0,
        failed_monitors: 0,
        ideas_to_moderate: 0,
        new_feedback: 0,
        alerts_failing: 0,
      },
      has_events: false,
      first_event_at: null,
      latest_event_at: null,
      series_24h: Array.from({ length: 24 }, () => 0),
      latest_release: null,
      quota: {
        used: 0,
        monthly_events: null,
        period_end: '2026-12-01T00:00:00.000Z',
        forecast_events: 0,
      },
    },
  ])
})

describe('a project in use', () => {
  let busy: Tenant

  beforeAll(async () => {
    busy = await api().tenant('Busy')
    const { dsnId, id } = busy.project
    const query = (sql: string, ...values: unknown[]) => api().pool.query(sql, values)
    await api().addIssue(busy, { firstSeen: at(-500), lastSeen: at(-9) })
    await api().addIssue(busy, { triage: 'new', lastSeen: at(-3) })
    await api().addIssue(busy, { status: 'resolved' })
    const into = await api().addIssue(busy, { status: 'ignored', firstSeen: at(-900) })
    const merged = await api().addIssue(busy, { lastSeen: at(-4) })
    await query('update issues set merged_into = $2 where id = $1', merged, into)
    await api().addRelease(busy, { version: 'shop@1.9.0', first: -300, last: -1 })
    await api().addRelease(busy, { version: 'shop@1.10.0', first: -200, last: -2 })
    for (const [muted, kind] of [
      [false, 'missed'],
      [true, 'error'],
      [false, null],
    ]) {
      const monitor = uuidv7()
      await query(
        'insert into monitors (id, project_id, slug, partition_hash, muted) values ($1, $2, $3, 1, $4)',
        monitor,
        dsnId,
        monitor,
        muted,
      )
      for (const environment of ['production', 'test']) {
        await query(
          `insert into monitor_environments (monitor_id, environment, partition_hash, incident_kind, incident_opened_at)
           values ($1, $2, 1, $3, case when $3::text is not null then now() end)`,
          monitor,
          environment,
          kind,
        )
      }
    }
    const idea = uuidv7()
    for (const [key, moderation] of [
      [idea, 'published'],
      [uuidv7(), 'pending'],
    ]) {
      await query(
        `insert into ideas (id, project_id, title, description, moderation) values ($1, $2, 'x', 'x', $3)`,
        key,
        id,
        moderation,
      )
    }
    for (const [moderation, deletedAt] of [
      ['pending', null],
      ['pending', at(-1)],
      ['published', null],
    ]) {
      await query(
        `insert into comments (id, project_id, idea_id, root_id, depth, body, moderation, deleted_at)
         values ($1, $2, $3, $1, 0, 'x', $4, $5)`,
        uuidv7(),
        id,
        idea,
        moderation,
        deletedAt,
      )
    }
    for (const [status, archived] of [
      ['New', false],
      ['New', true],
      ['Closed', false],
    ]) {
      await query(
        `insert into feedback (project_id, id, message, type, source, status, archived, created_at, updated_at)
         values ($1, gen_random_uuid(), 'x', 'Bug', 'Api', $2, $3, now(), now())`,
        dsnId,
        status,
        archived,
      )
    }
    for (const enabled of [true, false]) {
      const rule = uuidv7()
      await query(
        `insert into alert_rules (id, project_id, name, enabled, conditions, cooldown_seconds, digest_seconds)
         values ($1, $2, 'x', $3, '{"when": []}', 60, 60)`,
        rule,
        dsnId,
        enabled,
      )
      await query(
        `insert into notification_targets (id, organization_id, rule_id, type, shown, failures)
         values (gen_random_uuid(), $1, $2, 'email', '{}', 3)`,
        busy.organizationId,
        rule,
      )
    }
    const accepted = { outcome: 'accepted', reason: '', category: 'error' }
    await api().addOutcomes(busy, [
      { ...accepted, hour: '2026-11-21 01:00:00', quantity: 7 },
      { ...accepted, hour: '2026-11-20 02:00:00', quantity: 5 },
      { ...accepted, hour: '2026-11-20 01:00:00', quantity: 100 },
      { ...accepted, hour: '2026-11-21 01:00:00', quantity: 9, outcome: 'over_quota' },
      { ...accepted, hour: '2026-11-21 01:00:00', quantity: 9, category: 'session' },
    ])
    await query(
      `insert into quota_usage (project_id, period, used) values ($1, '2026-11-01', 112)`,
      dsnId,
    )
    await query('update projects set monthly_events = 150 where dsn_id = $1', dsnId)
  })

  test('has the counts of what is to do', async () => {
    const body = await overviewOf(busy)
    expect(body.counts).toEqual({
      unresolved_issues: 2,
      // One issue, and the two environments of the monitor that is not muted.
      triage: 3,
      failed_monitors: 1,
      ideas_to_moderate: 2,
      new_feedback: 1,
      alerts_failing: 1,
    })
    const triage = await api().of(busy, '/triage/stats')
    expect(body.counts.triage).toBe(triage.body.count)
  })

  test('has its events, its newest release and the use of its quota', async () => {
    const body = await overviewOf(busy)
    expect(ProjectOverview.parse(body)).toEqual(body)
    expect(body).toMatchObject({
      has_events: true,
      first_event_at: at(-900),
      latest_event_at: at(-1),
      latest_release: { version: 'shop@1.10.0', first_seen: at(-200) },
      quota: { used: 112, monthly_events: 150 },
    })
    expect(body.series_24h).toEqual([5, ...Array.from({ length: 22 }, () => 0), 7])
    const { forecast } = (await api().of(busy, '/quota')).body
    expect(body.quota.forecast_events).toBe(forecast.events)
    // 112 events in a week, and 9.9 days are left.
    expect(forecast).toMatchObject({ events: 271, by_last_7_days: 271, by_period: 167 })
    expect(forecast.limit_reached_at).toMatch(/^2026-11-23T/)
  })

  test('is there without ClickHouse, but for the series', async () => {
    const { pg, clock } = api().ctx
    const clickhouse = { select: () => Promise.reject(new CodedError('unavailable')) }
    const body = await reportOverview(busy.project, { pg, clock, clickhouse })
    expect(body.series_24h).toBeNull()
    expect(body.quota.forecast_events).toBe(167)
    expect(body.counts.unresolved_issues).toBe(2)
  })

  test('waits for ClickHouse only shortly', async () => {
    const { pg, clock } = api().ctx
    const clickhouse = { select: () => new Promise<never>(() => undefined) }
    const body = await reportOverview(busy.project, { pg, clock, clickhouse })
    expect(body.series_24h).toBeNull()
  })
})

test('counts end at ten thousand', async () => {
  const large = await api().tenant('Large')
  await api().pool.query(
    `insert into issues (id, project_id, short_no, title, culprit, level, platform, count, first_seen, last_seen)
     select gen_random_uuid(), $1, no, 'x', 'x', 'error', 'node', 1, now(), now()
     from generate_series(1, 10001) no`,
    [large.project.dsnId],
  )
  expect((await overviewOf(large)).counts.unresolved_issues).toBe(10_000)
})
