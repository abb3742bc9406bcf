import { afterAll, beforeEach, expect, test } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { usePostgres } from '../../../test/fixtures/processes/use-postgres.ts'
import { addProject } from '../../../test/fixtures/workers/add-project.ts'
import { addRule } from '../../../test/fixtures/workers/alert-rules.ts'
import { evaluateMeasures } from './evaluate-measures.ts'
import { readMeasuredRules } from './measure-store.ts'

const nowMs = Date.UTC(2026, 10, 16, 10, 30)

let pg: Pool
let project: ProjectId
let clickhouse: ClickHouseClient | undefined
let atMs: number

usePostgres((fixture) => {
  pg = fixture.pg
  project = fixture.project
  clickhouse ??= createClickHouse(fixture.stores.clickhouseUrl, 'test')
})
beforeEach(async () => {
  atMs = nowMs
  await pg.query('delete from alert_rules')
})
afterAll(() => clickhouse?.close())

/** A second later each time. */
function evaluate(): Promise<number> {
  atMs += 1_000
  return evaluateMeasures({ pg, clickhouse: clickhouse!, clock: { nowMs: () => atMs } })
}

async function reasons() {
  const { rows } = await pg.query(
    'select type, reason from alert_firings where project_id = $1 order by id',
    [project],
  )
  return rows
}

async function outcomes(outcome: string, quantity: number, hour = '2026-11-16 10:00:00') {
  await clickhouse!.insert({
    table: 'outcomes',
    values: [
      {
        project_id: project,
        dsn_key_no: 1,
        component: '',
        hour,
        outcome,
        reason: '',
        category: 'error',
        quantity,
      },
    ],
    format: 'JSONEachRow',
  })
}

const outcomeRule = {
  type: 'outcomes',
  outcomes: ['rejected'],
  percent: 10,
  items_min: 100,
  window_seconds: 3_600,
}

test('outcomes fire when their share passes the limit, and again only after it was back', async () => {
  await addRule(pg, project, { when: [outcomeRule, outcomeRule] })
  await outcomes('accepted', 89)
  await outcomes('rejected', 10)
  await outcomes('rejected', 1_000, '2026-11-16 08:00:00')
  // 99 items are too few.
  expect(await evaluate()).toBe(0)
  await outcomes('rejected', 1)
  expect(await evaluate()).toBe(1)
  expect(await reasons()).toEqual([
    {
      type: 'outcomes',
      reason: "11 percent of 100 items were rejected in 1 hour; the rule's limit is 10.",
    },
  ])
  expect(await evaluate()).toBe(0)
  await outcomes('accepted', 100)
  expect(await evaluate()).toBe(0)
  await outcomes('rejected', 100)
  expect(await evaluate()).toBe(1)
  expect(await reasons()).toHaveLength(2)
})

test('with too few items nothing changes: it is still over its limit', async () => {
  await addRule(pg, project, { when: [outcomeRule] })
  await outcomes('rejected', 200)
  expect(await evaluate()).toBe(1)
  atMs += 3 * 3_600_000
  expect(await evaluate()).toBe(0)
  await outcomes('rejected', 200, '2026-11-16 13:00:00')
  expect(await evaluate()).toBe(0)
})

test('the crash-free rate counts sums of servers and single sessions', async () => {
  const rate = {
    type: 'crash_free_rate',
    of: 'sessions',
    below_percent: 95,
    window_seconds: 3_600,
    sessions_min: 100,
  }
  await addRule(pg, project, { when: [rate, { ...rate, of: 'users' }] })
  await pg.query(
    `insert into release_health_counts (project_id, hour, release, environment, exited, errored, unhandled, abnormal, crashed)
     values ($1, '2026-11-16T10:00Z', 'a', 'production', 95, 0, 0, 0, 3)`,
    [project],
  )
  expect(await evaluate()).toBe(0)
  const session = (sid: number, status: number) => ({
    ...{ project_id: project, hour: '2026-11-16 10:00:00', release: 'a', environment: '' },
    ...{ sid: `00000000-0000-0000-0000-0000000000${sid}`, status, errored: 0, weight: 1 },
    ...{ user_hash: sid, duration_ms: 0, retention_days: 900 },
  })
  const values = [session(10, 0), session(10, 4), session(11, 4), session(12, 4), session(13, 1)]
  await clickhouse!.insert({ table: 'sessions', values, format: 'JSONEachRow' })
  expect(await evaluate()).toBe(1)
  expect((await reasons()).map(({ reason }) => reason).sort()).toEqual([
    "25 percent of 4 users met no crash in 1 hour; the rule's limit is 95.",
    "94.12 percent of 102 sessions met no crash in 1 hour; the rule's limit is 95.",
  ])
})

test('the crash-free rate of a rule with environments is theirs', async () => {
  await pg.query(
    `insert into release_health_counts (project_id, hour, release, environment, exited, errored, unhandled, abnormal, crashed)
     values ($1, '2026-11-16T10:00Z', 'a', 'production', 99, 0, 0, 0, 1), ($1, '2026-11-16T10:00Z', 'a', 'staging', 50, 0, 0, 0, 50)`,
    [project],
  )
  const sid = '00000000-0000-0000-0000-000000000020'
  const crashed = {
    ...{ project_id: project, hour: '2026-11-16 10:00:00', release: 'a', environment: 'staging' },
    ...{ sid, status: 4, errored: 0, weight: 1, user_hash: 1, duration_ms: 0, retention_days: 900 },
  }
  await clickhouse!.insert({ table: 'sessions', values: [crashed], format: 'JSONEachRow' })
  const when = [
    {
      type: 'crash_free_rate',
      of: 'sessions',
      below_percent: 95,
      window_seconds: 3_600,
      sessions_min: 10,
    },
  ]
  const rules = [
    await addRule(pg, project, { when, if: { environment: ['production'] } }),
    await addRule(pg, project, { when, if: { environment: ['staging', 'dev'] } }),
    await addRule(pg, project, { when }),
  ]
  expect(await evaluate()).toBe(2)
  const { rows } = await pg.query(
    'select rule_id, reason from alert_firings where rule_id = any($1)',
    [rules],
  )
  expect(new Map(rows.map(({ rule_id, reason }) => [rule_id, reason]))).toEqual(
    new Map([
      [
        rules[1],
        "49.5 percent of 101 sessions in staging or dev met no crash in 1 hour; the rule's limit is 95.",
      ],
      [rules[2], "74.13 percent of 201 sessions met no crash in 1 hour; the rule's limit is 95."],
    ]),
  )
  expect(await evaluate()).toBe(0)
})

test('the bounce rate is that of the organization', async () => {
  const rate = {
    type: 'bounce_rate',
    of: 'bounces',
    above_percent: 5,
    emails_min: 10,
    window_seconds: 86_400,
  }
  await addRule(pg, project, { when: [rate, { ...rate, of: 'complaints' }] })
  await pg.query(
    `with made as (
       insert into addresses (id, organization_id, email_key, email)
       select gen_random_uuid(), organization_id, no || '@x.test', no || '@x.test'
       from projects, generate_series(1, 10) no where dsn_id = $1 returning id, organization_id, email
     ), sent as (
       insert into sends (id, organization_id, address_id, kind, priority, from_address, to_address, subject, text, state, handed_over_at, created_at)
       select gen_random_uuid(), organization_id, id, 'transactional', 1, 'a@x.test', email, 's', 't', 'sent', $2, $2 from made
     )
     insert into bounce_reports (id, organization_id, address_id, type, counted, at, received_at)
     select gen_random_uuid(), organization_id, id, 'hard', true, $2, $2 from made where email = '1@x.test'`,
    [project, new Date(nowMs - 60_000)],
  )
  expect(await evaluate()).toBe(1)
  expect(await reasons()).toEqual([
    {
      type: 'bounce_rate',
      reason: "10 percent of 10 emails bounced in 1 day; the rule's limit is 5.",
    },
  ])
})

test('a measure that cannot be read does not keep the others from firing', async () => {
  await addRule(pg, project, { when: [outcomeRule] })
  await pg.query(
    `insert into release_health_counts (project_id, hour, release, environment, exited, errored, unhandled, abnormal, crashed)
     values ($1, '2026-11-16T10:00Z', 'a', 'production', 0, 0, 0, 0, 300)`,
    [project],
  )
  await addRule(pg, project, {
    when: [
      {
        type: 'bounce_rate',
        of: 'bounces',
        above_percent: 5,
        emails_min: 10,
        window_seconds: 86_400,
      },
    ],
  })
  await outcomes('rejected', 200)
  const broken = { query: () => Promise.reject(new Error('away')) } as unknown as ClickHouseClient
  await expect(
    evaluateMeasures({ pg, clickhouse: broken, clock: { nowMs: () => atMs } }),
  ).rejects.toThrow('could not be evaluated')
  expect(await evaluate()).toBe(1)
})

test('an organization with many rules does not take the turn of others', async () => {
  const other = await addProject(pg)
  const many = await Promise.all([1, 2, 3].map(() => addRule(pg, project, { when: [outcomeRule] })))
  const one = await addRule(pg, other, { when: [outcomeRule] })
  const read = (await readMeasuredRules(pg, 2)).map(({ ruleId }) => ruleId)
  expect(read).toHaveLength(2)
  expect(read).toContain(one)
  expect(many).toEqual(expect.arrayContaining(read.filter((id) => id !== one)))
})
