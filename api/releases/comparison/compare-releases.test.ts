import { expect, test } from 'vitest'
import { apiOfThisFile, at, type Tenant } from '../../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
const compare = (tenant: Tenant, head: string, query: string) =>
  api().of(tenant, `/releases/${encodeURIComponent(head)}/compare?${query}`)

async function fill(name: string) {
  const tenant = await api().tenant(name)
  for (const version of ['app@1', 'app@2/x y']) {
    await api().addRelease(tenant, { version, first: -90, last: -1 })
  }
  const issues = {
    fresh: await api().addIssue(tenant, { title: 'fresh', hashes: ['f1', 'f2'] }),
    gone: await api().addIssue(tenant, { title: 'gone', hashes: ['g'] }),
    more: await api().addIssue(tenant, { title: 'more', hashes: ['m'] }),
    same: await api().addIssue(tenant, { title: 'same', hashes: ['s'] }),
  }
  const events = (hash: string, release: string, count: number, minutes = -5) =>
    Array.from({ length: count }, (_, index) => ({
      id: `${name} ${hash} ${release} ${index}`,
      hash,
      release,
      receivedAt: at(minutes),
      environment: 'production',
    }))
  await api().addEvents(tenant, [
    ...events('f1', 'app@2/x y', 1),
    ...events('f2', 'app@2/x y', 2),
    ...events('g', 'app@1', 4),
    ...events('m', 'app@1', 2),
    ...events('m', 'app@2/x y', 6),
    ...events('s', 'app@1', 5),
    ...events('s', 'app@2/x y', 5),
    ...events('g', 'app@2/x y', 1, -60 * 24 * 31),
    ...events('nobody', 'app@2/x y', 1),
    ...events('f1', 'app@0', 1),
  ])
  return { tenant, issues }
}

test('issues are new, absent and more frequent, of one period', async () => {
  const { tenant, issues } = await fill('Compare')
  const { status, body } = await compare(tenant, 'app@2/x y', 'base=app@1')
  expect(status).toBe(200)
  expect(body).toMatchObject({
    base: { version: 'app@1', events: 11, issues: 3 },
    head: { version: 'app@2/x y', events: 14, issues: 3 },
    scale: 'hours',
    new_issues: {
      count: 1,
      items: [
        {
          id: issues.fresh,
          short_id: 'COMPARE-1',
          title: 'fresh',
          culprit: 'main',
          level: 'error',
          status: 'unresolved',
          base_events: 0,
          head_events: 3,
          factor: null,
        },
      ],
    },
    absent_issues: { count: 1, items: [{ id: issues.gone, base_events: 4, head_events: 0 }] },
    more_frequent: { count: 1, items: [{ id: issues.more, factor: 3 }] },
    crash_free_sessions_difference: null,
    crash_free_users_difference: null,
    truncated: false,
  })
  const long = await compare(tenant, 'app@2/x y', `base=app@1&since=${at(-60 * 24 * 40)}`)
  expect(long.body.absent_issues).toEqual({ count: 0, items: [] })
  const elsewhere = await compare(tenant, 'app@2/x y', 'base=app@1&environment=dev')
  expect(elsewhere.body).toMatchObject({ head: { events: 0 }, new_issues: { count: 0 } })
  const itself = await compare(tenant, 'app@1', 'base=app@1')
  expect([itself.body.new_issues.count, itself.body.more_frequent.count]).toEqual([0, 0])
})

test('sessions scale what is compared, and their health differs', async () => {
  const { tenant, issues } = await fill('Sessions')
  const sessions = async (release: string, exited: number, crashed: number) =>
    api().pool.query(
      `insert into release_health_counts (project_id, release, environment, hour, exited, errored, unhandled, abnormal, crashed)
       values ($1, $2, 'production', $3, $4, 0, 0, 0, $5)`,
      [tenant.project.dsnId, release, '2026-11-21T00:00:00Z', exited, crashed],
    )
  await sessions('app@1', 990, 10)
  await sessions('app@2/x y', 95, 5)
  const { body } = await compare(tenant, 'app@2/x y', 'base=app@1')
  expect(body).toMatchObject({
    scale: 'sessions',
    base: { health: { sessions: 1000, crash_free_sessions: 0.99 } },
    crash_free_sessions_difference: -0.04,
    // Server SDKs count no users.
    crash_free_users_difference: null,
    more_frequent: {
      count: 2,
      items: [
        { id: issues.more, factor: 30 },
        { id: issues.same, factor: 10 },
      ],
    },
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['app@1', '',                                     400],
  ['app@1', 'base=',                                400],
  ['app@1', 'base=unknown',                         400],
  ['app@1', 'base=%00',                             400],
  ['app@1', `base=${'x'.repeat(300)}`,              400],
  ['app@1', 'base=app@1&since=275760-01-01T00:00:00Z', 400],
  ['app@1', 'base=app@1&since=2026-11-22T00:00:00Z', 400],
  ['app@1', 'base=app@1&head=app@1',                400],
  ['app@1', `base=${encodeURIComponent(`'; drop`)}`, 400],
  ['nowhere', 'base=app@1',                         404],
  ['compare', 'base=app@1',                         404],
] as const)('%s compared with %s is answered %i', async (head, query, status) => {
  const tenant = await api().tenant('Refused')
  await api().addRelease(tenant, { version: 'app@1', first: -90, last: -1 })
  const answer = await compare(tenant, head, query)
  expect([answer.status, answer.body]).toEqual([status, answer.body])
})

test('a release names its commits', async () => {
  const tenant = await api().tenant('Commits')
  await api().addRelease(tenant, { version: 'app@1', first: -90, last: -1 })
  expect((await api().of(tenant, '/releases/app@1')).body.commits).toEqual([])
  const commits = ['a'.repeat(40)]
  await api().of(tenant, '/releases/app@1/commits', { method: 'PUT', body: { commits } })
  expect((await api().of(tenant, '/releases/app@1')).body.commits).toEqual(commits)
})
