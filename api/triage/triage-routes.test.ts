import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { dashed } from '#schemas/ids.ts'
import { accessScopes } from '#schemas/rest/access-scope.ts'
import {
  apiOfThisFile,
  at,
  hex,
  type NewIssue,
  type Tenant,
} from '../../test/fixtures/api-fixture.ts'
import { failureHash } from './failure-hash.ts'

const api = apiOfThisFile()
let tenant: Tenant
const later = '2026-12-01T08:00:00.000Z'

beforeEach(async () => {
  tenant = await api().tenant('Queue', accessScopes)
})

const of = (path: string, body?: unknown, method: 'PATCH' | 'POST' = 'PATCH') =>
  api().of(tenant, path, body === undefined ? {} : { method, body })

/** In the queue since that many minutes ago. */
const queued = (title: string, minutes: number, fields: NewIssue = {}) =>
  api().addIssue(tenant, {
    ...{ title, substatus: 'new', triage: 'new', triageAt: at(-minutes) },
    ...fields,
  })

/** A monitor with an incident of the given environment that opened that many minutes ago. */
async function failing(slug: string, minutes: number, environment = 'production') {
  const id = randomUUID()
  const { rows } = await api().pool.query(
    `insert into monitors (id, project_id, slug, partition_hash) values ($1, $2, $3, 7)
     on conflict (project_id, slug) do update set slug = excluded.slug returning id`,
    [id, tenant.project.dsnId, slug],
  )
  await api().pool.query(
    `insert into monitor_environments (monitor_id, environment, partition_hash, last_check_in_at,
       incident_kind, incident_opened_at)
     values ($1, $2, 7, $3, 'missed', $3)`,
    [rows[0].id, environment, at(-minutes)],
  )
}

/** The issue that the failure of the monitor made. */
async function failureIssue(slug: string, minutes: number, environment = 'production') {
  const id = await queued(`Monitor failure: ${slug}`, minutes)
  await api().pool.query(
    `insert into issue_hashes (project_id, hash, issue_id, explanation) values ($1, $2, $3, '{}')`,
    [tenant.project.dsnId, dashed(failureHash({ slug, environment, kind: 'missed' })), id],
  )
  return id
}

async function queue(query = ''): Promise<string[]> {
  const { status, body } = await of(`/triage?${query}`)
  expect([status, body.error]).toEqual([200, undefined])
  return body.items.map(
    ({ reason, issue, monitor }: Record<string, Record<string, string>>) =>
      `${reason} ${monitor?.['slug'] ?? issue?.['title']}`,
  )
}

describe('GET triage', () => {
  test('has issues and failing monitors, oldest first, each with its reason', async () => {
    await queued('a', 10)
    await queued('b', 40, { triage: 'regressed', substatus: 'regressed' })
    await queued('c', 30, { triage: 'returned', substatus: 'ongoing' })
    await failing('nightly', 20)
    await api().addIssue(tenant, { title: 'reviewed' })
    const { body } = await of('/triage')
    expect(body).toMatchObject({
      next_cursor: null,
      items: [
        {
          reason: 'regressed',
          since: at(-40),
          issue: { title: 'b', priority: 'high' },
          monitor: null,
        },
        { reason: 'returned', since: at(-30), issue: { title: 'c' } },
        {
          reason: 'monitor_failed',
          since: at(-20),
          issue: null,
          monitor: { slug: 'nightly', environment: 'production', incident: 'missed' },
        },
        { reason: 'new', since: at(-10), issue: { title: 'a', triage: { reason: 'new' } } },
      ],
    })
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['resolved',  { status: 'resolved' },                       false],
    ['ignored',   { status: 'ignored' },                        false],
    ['reviewed',  { reviewed: true },                           false],
    ['snoozed',   { snooze_until: later },                      false],
    ['assigned',  { assignee: 'owner' },                        false],
    ['ranked',    { priority: 'low' },                          true],
    ['opened',    { status: 'unresolved' },                     true],
    ['unassigned',{ assignee: null },                           true],
  ] as const)('an issue that is %s is in it: %s', async (_name, change, stays) => {
    const login = await api().login(tenant)
    const id = await queued('a', 5)
    const body = 'assignee' in change && change.assignee !== null ? { assignee: login.email } : change
    expect((await of(`/issues/${id}`, body)).status).toBe(200)
    expect(await queue()).toEqual(stays ? ['new a'] : [])
  })

  test('a snoozed issue comes back at its old place when the time has passed', async () => {
    const id = await queued('a', 50)
    await queued('b', 5)
    await of(`/issues/${id}`, { snooze_until: at(10) })
    expect(await queue()).toEqual(['new b'])
    const nowMs = api().time.nowMs
    api().time.nowMs = Date.parse(at(10))
    try {
      expect(await queue()).toEqual(['new a', 'new b'])
    } finally {
      api().time.nowMs = nowMs
    }
    await of(`/issues/${id}`, { snooze_until: null })
    expect(await queue()).toEqual(['new a', 'new b'])
  })

  test('a merged issue leaves it, and unmerging puts it back', async () => {
    const a = await queued('a', 50, {
      hashes: [`${tenant.project.id}-a`],
      lastSeen: at(-9),
    })
    const b = await queued('b', 5, { hashes: [`${tenant.project.id}-b`] })
    await of(`/issues/${a}/merge`, { into: b }, 'POST')
    expect(await queue()).toEqual(['new b'])
    expect((await of('/triage/stats')).body).toMatchObject({ count: 1, last_7_days: { left: 1 } })
    await of(`/issues/${b}/unmerge`, { hashes: [hex(`${tenant.project.id}-a`)] }, 'POST')
    expect(await queue()).toEqual(['new a', 'new b'])
    await api().of(tenant, `/issues/${a}`, { method: 'DELETE' })
    expect(await queue()).toEqual(['new b'])
  })

  test('pages visit every entry once, also several of one time', async () => {
    const want: string[] = []
    for (let index = 0; index < 6; index += 1) {
      await queued(`i${index}`, 10 * Math.floor(index / 2))
      want.push(`new i${index}`)
    }
    for (const [slug, minutes] of [
      ['m0', 10],
      ['m1', 10],
      ['m2', 90],
    ] as const) {
      await failing(slug, minutes)
      want.push(`monitor_failed ${slug}`)
    }
    for (const limit of [1, 2, 4, 9]) {
      const pages = await api().pages(tenant, `/triage?limit=${limit}`)
      const items = pages.flatMap(({ body }) => body.items)
      const names = items.map(
        ({ reason, issue, monitor }) => `${reason} ${monitor?.slug ?? issue.title}`,
      )
      expect(names.toSorted()).toEqual(want.toSorted())
      const times = items.map(({ since }) => since)
      expect(times).toEqual(times.toSorted())
    }
  })

  test('filters', async () => {
    const warning = await queued('w', 3, { level: 'warning' })
    await queued('r', 2, { triage: 'regressed' })
    await failing('m', 1)
    await api().pool.query(
      `with team as (
         insert into teams (id, organization_id, slug, name) values ($1, $2, 'backend', 'x') returning id
       ) update issues set assignee_team = team.id from team where issues.id = $3`,
      [randomUUID(), tenant.organizationId, warning],
    )
    expect(await queue('reason=regressed')).toEqual(['regressed r'])
    expect(await queue('reason=monitor_failed')).toEqual(['monitor_failed m'])
    expect(await queue('level=warning')).toEqual(['new w'])
    expect(await queue('priority=high')).toEqual(['regressed r', 'monitor_failed m'])
    expect(await queue('priority=low')).toEqual([])
    expect(await queue('assignee=none')).toEqual(['regressed r', 'monitor_failed m'])
    expect(await queue('assignee=team:backend')).toEqual(['new w'])
    expect(await queue('assignee=team:backend&reason=regressed')).toEqual([])
  })

  test.each(['?reason=old', '?limit=0', '?cursor=x', '?color=red', '?assignee=%00', '?level=loud'])(
    '%s is refused',
    async (query) => {
      expect((await of(`/triage${query}`)).status).toBe(400)
    },
  )

  test('other organizations see nothing', async () => {
    await queued('a', 1)
    const other = await api().tenant('Others')
    const path = `/api/v1/projects/${tenant.project.id}/triage`
    expect((await api().call(path, { token: other.token })).status).toBe(404)
    expect((await api().of(other, '/triage')).body.items).toEqual([])
  })
})

describe('a failing monitor and the issue of its failure', () => {
  test('are one entry, at the time of the incident', async () => {
    await failing('nightly', 30)
    const id = await failureIssue('nightly', 25)
    const { body } = await of('/triage')
    expect(body.items).toMatchObject([
      { reason: 'monitor_failed', since: at(-30), issue: { id }, monitor: { slug: 'nightly' } },
    ])
    expect((await of('/triage/stats')).body).toMatchObject({
      count: 1,
      by_reason: { new: 0, monitor_failed: 1 },
    })
    const { body: found } = await of('/issues?query=is:triage')
    expect(found.items).toHaveLength(1)
  })

  test.each([{ reviewed: true }, { status: 'resolved' }, { snooze_until: later }])(
    'leave by a decision on the issue: %j',
    async (change) => {
      await failing('nightly', 30)
      const id = await failureIssue('nightly', 25)
      await of(`/issues/${id}`, change)
      expect(await queue()).toEqual([])
    },
  )

  test.each([{ muted: true }, { snooze_until: later }])(
    'leave by %j of the monitor',
    async (change) => {
      await failing('nightly', 30)
      await failureIssue('nightly', 25)
      const changed = await of('/monitors/nightly', change)
      expect([changed.status, changed.body]).toMatchObject([
        200,
        'muted' in change ? change : { snoozed_until: later },
      ])
      expect(await queue()).toEqual([])
      expect((await of('/triage/stats')).body).toMatchObject({ count: 0, oldest_at: null })
      await of('/monitors/nightly', { muted: false, snooze_until: null })
      expect(await queue()).toEqual(['monitor_failed nightly'])
    },
  )

  test('that was resolved before the incident does not hide it', async () => {
    await failing('nightly', 30)
    const id = await failureIssue('nightly', 60)
    await api().pool.query(
      `update issues set status = 'resolved', resolved_at = $2, triage_at = null, triage_reason = null where id = $1`,
      [id, at(-31)],
    )
    const { body } = await of('/triage')
    expect(body.items).toMatchObject([{ reason: 'monitor_failed', issue: null }])
  })

  test('each environment is an entry; issues that are merged are one', async () => {
    await failing('nightly', 30)
    await failing('nightly', 20, 'staging')
    const production = await failureIssue('nightly', 25)
    const staging = await failureIssue('nightly', 15, 'staging')
    expect(await queue()).toEqual(['monitor_failed nightly', 'monitor_failed nightly'])
    await of(`/issues/${staging}/merge`, { into: production }, 'POST')
    expect(await queue()).toEqual(['monitor_failed nightly'])
  })

  test('when the monitor has recovered, its issue is an entry of its own', async () => {
    await failureIssue('nightly', 25)
    expect(await queue()).toEqual(['new Monitor failure: nightly'])
  })

  test.each([
    [{ snooze_until: at(-1) }, 'snooze_until'],
    [{ snooze_until: 'tomorrow' }, 'snooze_until'],
    [{ snooze_until: 5 }, 'snooze_until'],
    [{ snoozed_until: later }, 'snoozed_until'],
  ])('%j of a monitor is refused', async (change, field) => {
    await failing('nightly', 1)
    const { status, body } = await of('/monitors/nightly', change)
    expect([status, body.details[0].field]).toEqual([400, field])
  })
})

describe('bulk actions', () => {
  test('by ids and by query take entries out of the queue', async () => {
    const ids = [await queued('a', 3), await queued('b', 2)]
    await queued('c', 1, { level: 'warning' })
    await of('/issues/bulk', { ids, change: { snooze_until: later } }, 'POST')
    expect(await queue()).toEqual(['new c'])
    const query = 'is:triage priority:medium'
    const { body } = await of('/issues/bulk', { query, change: { status: 'ignored' } }, 'POST')
    expect(body).toMatchObject({ matched: 1, changed: 1 })
    expect(await queue()).toEqual([])
  })
})

describe('GET triage/stats', () => {
  test('tells counts, ages, and how many came and went', async () => {
    const empty = await of('/triage/stats')
    expect(empty.body).toEqual({
      count: 0,
      by_reason: { new: 0, regressed: 0, escalating: 0, returned: 0, monitor_failed: 0 },
      ...{ oldest_at: null, median_age_seconds: null, p90_age_seconds: null },
      last_7_days: { entered: 0, left: 0 },
    })
    for (let minutes = 10; minutes <= 100; minutes += 10) await queued('x', minutes)
    const ids = [await queued('y', 5), await queued('z', 5)]
    await failing('m', 20_000)
    await of('/issues/bulk', { ids, change: { reviewed: true } }, 'POST')
    await api().pool.query(
      `insert into issue_activity (issue_id, kind, actor, at)
       values ($1, 'regressed', '{}', $2), ($1, 'returned', '{}', $3), ($1, 'comment', '{}', $2)`,
      [ids[0], at(-60), at(-60 * 24 * 8)],
    )
    const { body } = await of('/triage/stats')
    expect(body).toMatchObject({
      count: 11,
      by_reason: { new: 10, monitor_failed: 1 },
      oldest_at: at(-20_000),
      median_age_seconds: 60 * 60,
      p90_age_seconds: 100 * 60,
      // Rows of this test are created by the clock of the machine, which is later.
      last_7_days: { entered: 13, left: 2 },
    })
  })
})
