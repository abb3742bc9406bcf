import { beforeAll, describe, expect, test } from 'vitest'
import { apiOfThisFile, at, type Tenant } from '../test/fixtures/api-fixture.ts'
import { addDsnKey } from './keys/dsn-key-store.ts'

const api = apiOfThisFile()
let tenant: Tenant

beforeAll(async () => {
  tenant = await api().tenant('Shop')
  await api().addRelease(tenant, { version: 'shop@1', first: -100, last: -1 })
  await api().addRelease(tenant, { version: 'shop@2 (beta)/ü', first: -50, last: -1 })
  await api().addRelease(tenant, { version: 'shop@0', first: -500, last: -90 })
  for (const title of ['one', 'two']) {
    await api().addIssue(tenant, { title, hashes: [title], release: 'shop@2 (beta)/ü' })
  }
})

describe('releases', () => {
  test('releases are listed most recently seen first, each once over all pages', async () => {
    const all = await api().of(tenant, '/releases')
    expect(all.body.items.map((item: { version: string }) => item.version)).toEqual([
      'shop@1',
      'shop@2 (beta)/ü',
      'shop@0',
    ])
    const pages = await api().pages(tenant, '/releases?limit=1')
    expect(pages).toHaveLength(3)
    expect(pages.flatMap(({ body }) => body.items)).toEqual(all.body.items)
  })

  test('a release is found by its encoded version', async () => {
    const version = 'shop@2 (beta)/ü'
    const { status, body } = await api().of(tenant, `/releases/${encodeURIComponent(version)}`)
    expect(status).toBe(200)
    const { health, series, ...release } = body
    expect(release).toEqual({
      version,
      first_event: at(-50),
      last_event: at(-1),
      first_session: null,
      last_session: null,
      event_count: 5,
      new_issues: 2,
      url: null,
      date_released: null,
      commit_count: 0,
      last_deploy: null,
      commits: [],
      commit_details: [],
      deploys: [],
    })
    expect(health).toMatchObject({
      ...{ sessions: 0, users: 0, crash_free_sessions: null, crash_free_users: null },
      ...{ adoption: null, duration_seconds: null },
    })
    expect(series).toHaveLength(25)
  })

  test('a release has the health of its sessions, single and aggregated, by hour', async () => {
    const project_id = tenant.project.dsnId
    const hour = Date.parse(at(-30)) - (Date.parse(at(-30)) % 3_600_000)
    const sid = (no: number) => `00000000-0000-4000-8000-${String(no).padStart(12, '0')}`
    const row = { project_id, hour: hour / 1000, release: 'shop@1', environment: 'production' }
    const single = {
      ...row,
      errored: 0,
      weight: 1,
      user_hash: 0,
      duration_ms: 0,
      retention_days: 60_000,
    }
    await api().clickhouse.insert({
      table: 'sessions',
      format: 'JSONEachRow',
      values: [
        { ...single, sid: sid(1), status: 1, user_hash: 7, duration_ms: 1_500 },
        { ...single, sid: sid(2), status: 0, errored: 1, user_hash: 7 },
        { ...single, sid: sid(3), status: 4, errored: 1, user_hash: 8 },
        { ...single, sid: sid(3), status: 1 },
        { ...single, sid: sid(4), status: 1, release: 'shop@0' },
        { ...single, sid: sid(5), status: 3, errored: 1, environment: 'staging' },
      ],
    })
    await api().pool.query(
      `insert into release_health_counts values ($1, to_timestamp($2), 'shop@1', 'production', 10, 2, 1, 0, 3)`,
      [project_id, hour / 1000],
    )
    const all = await api().of(tenant, '/releases/shop%401')
    expect(all.body.health).toEqual({
      ...{ sessions: 20, users: 2, crashed: 4, abnormal: 1, unhandled: 1, errored: 3, healthy: 11 },
      ...{ crash_free_sessions: 0.8, crash_free_users: 0.5, adoption: 0.952381 },
      duration_seconds: { mean: 1.5, p50: 1.5, p95: 1.5 },
    })
    const staging = await api().of(tenant, '/releases/shop%401?environment=staging&interval=day')
    expect(staging.body.health).toMatchObject({ sessions: 1, abnormal: 1, adoption: 1 })
    expect(staging.body.series).toHaveLength(31)
    const withSessions = all.body.series.filter(
      ({ sessions }: { sessions: number }) => sessions > 0,
    )
    expect(withSessions).toMatchObject([
      { at: new Date(hour).toISOString(), sessions: 20, project_sessions: 21 },
    ])
    const list = await api().of(tenant, '/releases')
    const healths = list.body.items.map(
      (item: { health: { sessions: number } }) => item.health.sessions,
    )
    expect(healths).toEqual([20, 0, 1])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['no time',               'since=yesterday',                                                     'since'],
    ['the end first',         'since=2026-11-21T00:00:00Z&until=2026-11-20T00:00:00Z',               'since'],
    ['too many hours',        'since=2026-09-01T00:00:00Z',                                          'since'],
    ['no interval we know',   'interval=minute',                                                     'interval'],
    ['an empty environment',  'environment=',                                                        'environment'],
  ] as const)('%s is refused by name', async (_name, query, field) => {
    const { status, body } = await api().of(tenant, `/releases/shop%401?${query}`)
    expect([status, body.code, body.details[0].field]).toEqual([400, 'validation_failed', field])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['one that nothing came from',      'nope'],
    ['SQL',                             "'--"],
    ['one that is longer than any',     'x'.repeat(2_600)],
  ] as const)('%s is not there', async (_name, version) => {
    const { status, body } = await api().of(tenant, `/releases/${version}`)
    expect([status, body.code]).toEqual([404, 'not_found'])
  })

  test('a cursor of another list is refused', async () => {
    const { body } = await api().of(
      tenant,
      `/releases?cursor=${Buffer.from('[1,"x"]').toString('base64url')}`,
    )
    expect(body.code).toBe('invalid_cursor')
  })
})

describe('outcomes', () => {
  let accounting: Tenant
  let publicKey: string

  beforeAll(async () => {
    accounting = await api().tenant('Books')
    const key = await addDsnKey(api().pool, {
      projectId: accounting.project.id,
      label: 'worker',
    })
    publicKey = key.public_key
    const row = (hour: string, quantity: number, more: Record<string, unknown> = {}) => ({
      hour,
      outcome: 'accepted',
      reason: '',
      category: 'error',
      quantity,
      dsn_key_no: key.key_no,
      component: 'worker',
      ...more,
    })
    await api().addOutcomes(accounting, [
      row('2026-11-21 01:00:00', 5),
      row('2026-11-21 01:00:00', 2),
      row('2026-11-21 00:00:00', 1),
      row('2026-11-20 23:00:00', 3, {
        outcome: 'unsupported',
        reason: 'unsupported:span',
        category: 'span',
      }),
      row('2026-11-20 01:00:00', 100),
      row('2026-11-01 00:00:00', 9, { dsn_key_no: 0, component: '' }),
    ])
    // The outcome of a dead letter that was retried: counted, and corrected later.
    for (const quantity of [1, -1]) {
      const reason = { outcome: 'rejected', reason: 'undigestible' }
      await api().addOutcomes(accounting, [row('2026-11-21 00:00:00', quantity, reason)])
    }
  })

  test('are grouped by hour and by all groups; the default range is 24 hours', async () => {
    const { status, body } = await api().of(accounting, '/outcomes')
    const accepted = { outcome: 'accepted', reason: null, category: 'error', key: publicKey }
    const unsupported = {
      outcome: 'unsupported',
      reason: 'unsupported:span',
      category: 'span',
      key: publicKey,
    }
    expect(status).toBe(200)
    expect(body.items).toEqual([
      { at: '2026-11-20T01:00:00.000Z', ...accepted, quantity: 100 },
      { at: '2026-11-20T23:00:00.000Z', ...unsupported, quantity: 3 },
      { at: '2026-11-21T00:00:00.000Z', ...accepted, quantity: 1 },
      { at: '2026-11-21T01:00:00.000Z', ...accepted, quantity: 7 },
    ])
    expect(body.totals).toEqual([
      { ...accepted, quantity: 108 },
      { ...unsupported, quantity: 3 },
    ])
  })

  test('are grouped by day and component', async () => {
    const { body } = await api().of(accounting, '/outcomes?interval=day&group_by=component')
    expect(body.items).toEqual([
      { at: '2026-11-01T00:00:00.000Z', component: null, quantity: 9 },
      { at: '2026-11-20T00:00:00.000Z', component: 'worker', quantity: 103 },
      { at: '2026-11-21T00:00:00.000Z', component: 'worker', quantity: 8 },
    ])
    expect(body.totals).toEqual([
      { component: 'worker', quantity: 111 },
      { component: null, quantity: 9 },
    ])
  })

  test('are grouped by SDK, largest first, and filtered by one', async () => {
    const tenant = await api().tenant('Kits')
    const row = (outcome: string, sdk: string, quantity: number) => ({
      ...{ hour: '2026-11-21 01:00:00', outcome, reason: '', category: 'error', sdk, quantity },
    })
    await api().addOutcomes(tenant, [
      row('accepted', '', 2),
      row('accepted', 'sentry.python', 5),
      row('over_quota', 'sentry.python', 4),
      row('client_discard', 'sentry.python', 1),
      row('accepted', '__proto__', 7),
      { ...row('accepted', '', 1), sdk: undefined },
    ])
    const totals = async (query: string) => {
      const { status, body } = await api().of(tenant, `/outcomes?${query}`)
      expect(status).toBe(200)
      return { totals: body.totals, arrivals: body.arrivals[0] }
    }
    expect(await totals('group_by=sdk')).toEqual({
      totals: [
        { sdk: 'sentry.python', quantity: 10 },
        JSON.parse('{"sdk":"__proto__","quantity":7}'),
        { sdk: null, quantity: 3 },
      ],
      arrivals: { category: 'error', accepted: 15, never_arrived: 1 },
    })
    expect(await totals('group_by=outcome&sdk=sentry.python')).toEqual({
      totals: [
        { outcome: 'accepted', quantity: 5 },
        { outcome: 'over_quota', quantity: 4 },
        { outcome: 'client_discard', quantity: 1 },
      ],
      arrivals: { category: 'error', accepted: 5, never_arrived: 1 },
    })
    expect((await totals('group_by=sdk&sdk=')).totals).toEqual([{ sdk: null, quantity: 3 }])
    expect((await totals(`group_by=sdk&sdk=${encodeURIComponent("x' or 1=1 --")}`)).totals).toEqual(
      [],
    )
  })

  test('items that clients dropped are listed beside the accepted ones', async () => {
    const tenant = await api().tenant('Losses')
    const row = (outcome: string, category: string, quantity: number) => ({
      ...{ hour: '2026-11-21 01:00:00', outcome, reason: '', category, quantity },
    })
    await api().addOutcomes(tenant, [
      row('accepted', 'error', 5),
      row('duplicate', 'error', 50),
      row('client_discard', 'error', 2),
      { ...row('client_discard', 'error', 3), reason: 'queue_overflow' },
      row('client_discard', 'session', 4),
      row('unsupported', 'span', 7),
    ])
    const { body } = await api().of(tenant, '/outcomes?group_by=key')
    expect(body.arrivals).toEqual([
      { category: 'error', accepted: 5, never_arrived: 5 },
      { category: 'session', accepted: 0, never_arrived: 4 },
    ])
  })

  test('`until` is exclusive, `since` is rounded down to its hour', async () => {
    const range = 'since=2026-11-21T00:59:00Z&until=2026-11-21T01:00:00Z&group_by=outcome'
    const { body } = await api().of(accounting, `/outcomes?${range}`)
    expect(body.totals).toEqual([{ outcome: 'accepted', quantity: 1 }])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['an interval that does not exist',  'interval=minute',                                          'interval'],
    ['a group that does not exist',      'group_by=outcome,project_id',                              'group_by'],
    ['SQL for a group',                  'group_by=outcome)--',                                      'group_by'],
    ['an SDK of 65 characters',          `sdk=${'x'.repeat(65)}`,                                    'sdk'],
    ['an empty group',                   'group_by=',                                                'group_by'],
    ['a time that ends before it begins','since=2026-11-21T00:00:00Z&until=2026-11-20T00:00:00Z',    'since'],
    ['hours over more than a month',     'since=2026-01-01T00:00:00Z&until=2026-11-20T00:00:00Z',    'since'],
  ] as const)('%s is refused and named', async (_name, query, field) => {
    const { status, body } = await api().of(accounting, `/outcomes?${query}`)
    expect([status, body.code, body.details[0].field]).toEqual([400, 'validation_failed', field])
  })
})
