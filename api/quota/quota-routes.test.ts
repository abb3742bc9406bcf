import { beforeAll, describe, expect, test } from 'vitest'
import { dashed } from '#schemas/ids.ts'
import { accessScopes } from '#schemas/rest/access-scope.ts'
import { apiOfThisFile, hex, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { addDsnKey } from '../keys/dsn-key-store.ts'
import { monthOf } from './report-quota.ts'

const api = apiOfThisFile()
let tenant: Tenant

beforeAll(async () => {
  tenant = await api().tenant('Shop', accessScopes)
})

const put = (body: unknown) => api().of(tenant, '/quota', { method: 'PUT', body })

describe('limits', () => {
  test('a new project has no limits and no use', async () => {
    const { status, body } = await api().of(await api().tenant('Fresh'), '/quota')
    expect([status, body]).toEqual([
      200,
      {
        monthly_events: null,
        per_minute: null,
        per_issue_per_minute: null,
        used: 0,
        reserved: 0,
        period_start: '2026-11-01T00:00:00.000Z',
        period_end: '2026-12-01T00:00:00.000Z',
        forecast: { events: 0, by_period: 0, by_last_7_days: 0, limit_reached_at: null },
        by_key: [],
        by_issue: [],
      },
    ])
  })

  test('an omitted limit stays, and null removes a limit', async () => {
    await put({ monthly_events: 1_000, per_minute: 60, per_issue_per_minute: 6 })
    const { body } = await put({ per_minute: null })
    expect(body).toMatchObject({ monthly_events: 1_000, per_minute: null, per_issue_per_minute: 6 })
  })

  test('a limit of zero accepts no events', async () => {
    expect((await put({ monthly_events: 0 })).body.monthly_events).toBe(0)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['a negative number',      { monthly_events: -1 },     'monthly_events'],
    ['a fraction',             { monthly_events: 1.5 },    'monthly_events'],
    ['text',                   { monthly_events: '10' },   'monthly_events'],
    ['no event a minute',      { per_minute: 0 },          'per_minute'],
    ['more than a bigint has', { monthly_events: 1e300 },  'monthly_events'],
  ] as const)('%s is refused and named', async (_name, body, field) => {
    const answer = await put(body)
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed'])
    expect(JSON.stringify(answer.body.details)).toContain(field)
  })

  test('an unknown field is refused', async () => {
    expect((await put({ monthly_event: 5 })).status).toBe(400)
  })
})

describe('use', () => {
  test('counts charged events; events that processes hold are `reserved`', async () => {
    const { dsnId } = tenant.project
    await api().pool.query(
      `insert into quota_usage (project_id, period, used) values ($1, '2026-11-01', 150), ($1, '2026-10-01', 9)`,
      [dsnId],
    )
    await api().pool.query(
      `insert into quota_leases (project_id, period, boot_id, request_no, units, seen, state) values
         ($1, '2026-11-01', gen_random_uuid(), 1, 100, 40, 'open'),
         ($1, '2026-11-01', gen_random_uuid(), 1, 90, 90, 'closed'),
         ($1, '2026-10-01', gen_random_uuid(), 1, 9, 0, 'open')`,
      [dsnId],
    )
    const { body } = await api().of(tenant, '/quota')
    expect([body.used, body.reserved]).toEqual([90, 60])
  })

  test('is reported by key and by issue, for this month only', async () => {
    const project = await api().tenant('Used')
    const key = await addDsnKey(api().pool, { projectId: project.project.id, label: 'worker' })
    const { rows } = await api().pool.query<{ key_no: number }>(
      'select key_no from dsn_keys where public_key = $1',
      [key.public_key],
    )
    const outcome = {
      outcome: 'accepted',
      reason: '',
      category: 'error',
      dsn_key_no: rows[0]!.key_no,
    }
    await api().addOutcomes(project, [
      { ...outcome, hour: '2026-11-01 00:00:00', quantity: 5 },
      { ...outcome, hour: '2026-10-31 23:00:00', quantity: 100 },
      { ...outcome, hour: '2026-11-02 00:00:00', category: 'session', quantity: 100 },
      { ...outcome, hour: '2026-11-02 00:00:00', outcome: 'over_quota', quantity: 100 },
    ])
    const merged = await api().addIssue(project, {
      title: 'merged',
      shortNo: 901,
      hashes: ['p', 'q'],
    })
    const other = await api().addIssue(project, { title: 'other', shortNo: 902, hashes: ['r'] })
    await api().addEvents(project, [
      { id: 'e1', hash: 'p' },
      { id: 'e2', hash: 'q' },
      { id: 'e3', hash: 'q' },
      { id: 'e4', hash: 'r' },
      { id: 'e5', hash: 'r', receivedAt: '2026-10-31T23:59:59.999Z' },
      { id: 'e6', hash: 'nobody owns this one' },
    ])
    const { body } = await api().of(project, '/quota')
    expect(body.by_key).toEqual([
      { key: key.public_key, label: 'worker', per_minute: null, used: 5 },
    ])
    expect(
      body.by_issue.map((issue: { id: string; used: number }) => [issue.id, issue.used]),
    ).toEqual([
      [merged, 3],
      [other, 1],
    ])
    expect(body.by_issue[0].short_id).toMatch(/-901$/)
  })

  test('counts sampled events, which have no rows of their own', async () => {
    const project = await api().tenant('Sampled')
    const id = await api().addIssue(project, { hashes: ['b'] })
    await api().addEvents(project, [
      { id: 's', hash: 'b', sampled_ids: [dashed(hex('t')), dashed(hex('u'))] },
    ])
    const { body } = await api().of(project, '/quota')
    expect(body.by_issue).toMatchObject([{ id, used: 3 }])
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['the first moment', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
  ['the last one',     '2026-11-30T23:59:59.999Z', '2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
  ['December',         '2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ['a leap February',  '2028-02-29T12:00:00.000Z', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
] as const)('the month of %s', (_name, now, start, end) => {
  const { startMs, endMs } = monthOf(Date.parse(now))
  expect([new Date(startMs).toISOString(), new Date(endMs).toISOString()]).toEqual([start, end])
})
