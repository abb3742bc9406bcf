import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { undashed } from '#schemas/ids.ts'
import { accessScopes } from '#schemas/rest/access-scope.ts'
import { apiOfThisFile, type Tenant } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
let tenant: Tenant
let other: Tenant

beforeAll(async () => {
  tenant = await api().tenant('Shop', accessScopes)
  other = await api().tenant('Other', accessScopes)
})

interface TestRun {
  readonly minute: number
  readonly status?: string
  readonly environment?: string
  readonly eventId?: string
}

/** A monitor as the workers store it: expected at 10:30, its last check-in at 10:20. */
async function addMonitor(
  slug: string,
  fields: { readonly incident?: string; readonly runs?: readonly TestRun[] } = {},
): Promise<string[]> {
  const id = randomUUID()
  const projectId = Number(tenant.project.dsnId)
  await api().pool.query(
    `insert into monitors (id, project_id, slug, partition_hash, schedule)
     values ($1, $2, $3, 7, '{"type": "crontab", "value": "*/10 * * * *"}')`,
    [id, projectId, slug],
  )
  await api().pool.query(
    `insert into monitor_environments (monitor_id, environment, partition_hash, last_check_in_at, expected_at,
       due_at, incident_kind, incident_opened_at)
     values ($1, 'production', 7, '2026-11-20T10:20:00Z', '2026-11-20T10:30:00Z', '2026-11-20T10:31:00Z',
       $2::text, case when $2::text is null then null else timestamptz '2026-11-20T10:11:00Z' end)`,
    [id, fields.incident ?? null],
  )
  const ids: string[] = []
  for (const { minute, status = 'closed', environment = 'production', eventId } of fields.runs ??
    []) {
    const runId = randomUUID()
    ids.push(undashed(runId))
    const at = new Date(Date.parse('2026-11-20T10:00:00Z') + minute * 60_000)
    await api().pool.query(
      `insert into monitor_runs (project_id, id, monitor_id, environment, status, result, started_at, at, event_id)
       values ($1, $2, $3, $4, $5, case when $5 = 'closed' then 'ok' end, $6, $6, $7)`,
      [projectId, runId, id, environment, status, at, eventId ?? null],
    )
  }
  return ids
}

const of = (path: string, call?: Parameters<ReturnType<typeof api>['of']>[2]) =>
  api().of(tenant, path, call)

describe('monitors', () => {
  test('a monitor shows its rules, its state and its last run', async () => {
    const [, last] = await addMonitor('nightly', { runs: [{ minute: 10 }, { minute: 20 }] })
    const { status, body } = await of('/monitors/nightly')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      slug: 'nightly',
      schedule: { type: 'crontab', value: '*/10 * * * *' },
      timezone: 'UTC',
      checkin_margin: 1,
      max_runtime: 30,
      status: 'ok',
      muted: false,
      next_expected_at: '2026-11-20T10:30:00.000Z',
      last_run: {
        id: last,
        status: 'closed',
        result: 'ok',
        started_at: '2026-11-20T10:20:00.000Z',
      },
      environments: [{ environment: 'production', status: 'ok', incident: null }],
    })
  })

  test('a monitor with an open incident is failing', async () => {
    await addMonitor('failing', { incident: 'missed' })
    const { body } = await of('/monitors/failing')
    expect([body.status, body.environments[0].incident]).toEqual([
      'failing',
      { kind: 'missed', opened_at: '2026-11-20T10:11:00.000Z' },
    ])
  })

  test('are listed by name, page by page, and only to their own organization', async () => {
    for (const slug of ['list-b', 'list-a', 'list-c']) await addMonitor(slug)
    const slugs: string[] = []
    let path = '/monitors?limit=2'
    for (let page = 0; page < 10; page += 1) {
      const { body } = await of(path)
      slugs.push(...body.items.map((item: { slug: string }) => item.slug))
      if (body.next_cursor === null) break
      path = `/monitors?limit=2&cursor=${body.next_cursor}`
    }
    expect(slugs).toEqual(slugs.toSorted())
    expect(slugs).toEqual(expect.arrayContaining(['list-a', 'list-b', 'list-c']))
    expect((await api().of(other, '/monitors')).body.items).toEqual([])
    expect((await api().of(other, '/monitors/list-a')).status).toBe(404)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['GET',    '/monitors/nothing'],
    ['GET',    '/monitors/nothing/runs'],
    ['PATCH',  '/monitors/nothing'],
    ['DELETE', '/monitors/nothing'],
  ] as const)('%s %s finds nothing', async (method, path) => {
    const call = method === 'PATCH' ? { method, body: { muted: true } } : { method }
    expect((await of(path, call)).status).toBe(404)
  })
})

describe('a change', () => {
  test('of some rules keeps the others, and schedules a check', async () => {
    await addMonitor('changed')
    const body = {
      muted: true,
      timezone: 'Europe/Berlin',
      max_runtime: 60,
      schedule: { type: 'interval', value: '2', unit: 'hour' },
    }
    const changed = await of('/monitors/changed', { method: 'PATCH', body })
    expect([changed.status, changed.body]).toMatchObject([
      200,
      { ...body, schedule: { type: 'interval', value: 2, unit: 'hour' }, checkin_margin: 1 },
    ])
    expect((await of('/monitors/changed')).body).toEqual(changed.body)
    const { rows } = await api().pool.query(
      `select due_at from monitor_environments e join monitors m on m.id = e.monitor_id where slug = 'changed'`,
    )
    expect(rows).toEqual([{ due_at: new Date(0) }])
  })

  test('can remove the schedule', async () => {
    await addMonitor('free')
    const { body } = await of('/monitors/free', { method: 'PATCH', body: { schedule: null } })
    expect(body.schedule).toBeNull()
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['a crontab of six fields',   { schedule: { type: 'crontab', value: '0 0 0 * * *' } }, 'schedule.value',  'must have five fields or be a nickname, and has 6'],
    ['an interval of seconds',    { schedule: { type: 'interval', value: 5, unit: 'second' } }, 'schedule.unit', 'must be one of minute, hour, day, week, month, year'],
    ['a place that has no time',  { timezone: 'Mars/Olympus' },                            'timezone',        'must be a name of the tz database'],
    ['a margin of a month',       { checkin_margin: 40_321 },                              'checkin_margin',  'must be a number from 0 to 40320'],
    ['a threshold below nothing', { failure_issue_threshold: -1 },                         'failure_issue_threshold', 'must be a number from 0 to 720'],
    ['an unknown field',          { color: 'red' },                                        'color',           expect.anything()],
    ['a slug',                    { slug: 'renamed' },                                     'slug',            expect.anything()],
  ] as const)('to %s is refused and named', async (_name, body, field, rule) => {
    await addMonitor(`refused-${randomUUID().slice(0, 8)}`)
    await addMonitor('kept').catch(() => undefined)
    const answer = await of('/monitors/kept', { method: 'PATCH', body })
    expect([answer.status, answer.body.code, answer.body.details]).toEqual([
      400,
      'validation_failed',
      [{ field, rule }],
    ])
  })

  test('needs a token that may write', async () => {
    const reader = await api().tenant('Reader', ['issues:read'])
    const call = { method: 'PATCH', body: { muted: true } } as const
    expect((await api().of(reader, '/monitors/any', call)).status).toBe(403)
  })
})

test('a deleted monitor is deleted with its runs', async () => {
  await addMonitor('deleted', { runs: [{ minute: 1 }] })
  expect((await of('/monitors/deleted', { method: 'DELETE' })).status).toBe(204)
  expect((await of('/monitors/deleted')).status).toBe(404)
  expect((await of('/monitors/deleted', { method: 'DELETE' })).status).toBe(404)
})

describe('runs', () => {
  const eventId = randomUUID()
  let ids: string[] = []

  beforeAll(async () => {
    ids = await addMonitor('busy', {
      runs: [
        { minute: 1 },
        { minute: 2, status: 'missed', eventId },
        { minute: 3, environment: 'staging' },
        { minute: 4, status: 'running' },
      ],
    })
  })

  const listed = async (query: string) =>
    (await of(`/monitors/busy/runs${query}`)).body.items.map(({ id }: { id: string }) =>
      ids.indexOf(id),
    )

  test('are listed newest first, by environment and status', async () => {
    expect(await listed('')).toEqual([3, 2, 1, 0])
    expect(await listed('?environment=staging')).toEqual([2])
    expect(await listed('?status=missed')).toEqual([1])
    expect(await listed('?status=missed&environment=staging')).toEqual([])
  })

  test('name the event that was created from them', async () => {
    const { body } = await of('/monitors/busy/runs?status=missed')
    expect(body.items[0].event_id).toBe(undashed(eventId))
  })

  test('are listed in pages', async () => {
    const first = await of('/monitors/busy/runs?limit=3')
    const cursor = first.body.next_cursor
    expect(await listed(`?limit=3&cursor=${cursor}`)).toEqual([0])
  })

  test.each(['?status=late', '?limit=0', '?cursor=x', '?color=red'])(
    '%s is refused',
    async (query) => {
      expect((await of(`/monitors/busy/runs${query}`)).status).toBe(400)
    },
  )
})
