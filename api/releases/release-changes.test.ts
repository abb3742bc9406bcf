import { describe, expect, test } from 'vitest'
import { apiOfThisFile, at, type Tenant } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
const post = (tenant: Tenant, path: string, body: unknown) =>
  api().of(tenant, path, { method: 'POST', body })
const released = '2026-11-20T08:15:00.000Z'

describe('a release', () => {
  test('is named before its first event, and once', async () => {
    const tenant = await api().tenant('New')
    const first = await post(tenant, '/releases', { version: 'app@1.0' })
    expect([first.status, first.body]).toMatchObject([
      201,
      { version: 'app@1.0', url: null, date_released: null },
    ])
    const change = { version: 'app@1.0', url: 'https://x.test/1', date_released: released }
    const second = await post(tenant, '/releases', change)
    expect([second.status, second.body]).toMatchObject([200, change])
    const third = await post(tenant, '/releases', { version: 'app@1.0' })
    expect(third.body).toEqual(second.body)
    const { body } = await api().of(tenant, '/releases')
    expect(body.items).toMatchObject([{ ...change, first_event: null, event_count: 0 }])
  })

  test('is changed; null removes what was given', async () => {
    const tenant = await api().tenant('Changed')
    await api().addRelease(tenant, { version: 'app@1.0', first: -90, last: -80 })
    const patch = (body: unknown, version = 'app%401.0') =>
      api().of(tenant, `/releases/${version}`, { method: 'PATCH', body })
    expect((await patch({ date_released: released })).body.date_released).toBe(released)
    expect((await patch({ url: 'https://x.test' })).body).toMatchObject({
      url: 'https://x.test',
      date_released: released,
    })
    expect((await patch({ date_released: null })).body).toMatchObject({ date_released: null })
    expect((await patch({ url: null }, 'other')).status).toBe(404)
    expect((await patch({ url: null }, 'a%00b')).status).toBeGreaterThanOrEqual(400)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['no version',          'POST',  '/releases',          {},                                  'version'],
    ['a control character', 'POST',  '/releases',          { version: 'a\nb' },                 'version'],
    ['a long version',      'POST',  '/releases',          { version: 'v'.repeat(251) },        'version'],
    ['a script as URL',     'POST',  '/releases',          { version: 'a', url: 'javascript:alert(1)' }, 'url'],
    ['a wrong date',        'POST',  '/releases',          { version: 'a', date_released: 'now' }, 'date_released'],
    ['a far date',          'POST',  '/releases',          { version: 'a', date_released: '+275760-01-01T00:00:00Z' }, 'date_released'],
    ['another field',       'POST',  '/releases',          { version: 'a', refs: [] },          'refs'],
    ['no change',           'PATCH', '/releases/a',        {},                                  'date_released'],
    ['no environment',      'POST',  '/releases/a/deploys', {},                                 'environment'],
    ['a long environment',  'POST',  '/releases/a/deploys', { environment: 'e'.repeat(65) },    'environment'],
    ['a URL of a file',     'POST',  '/releases/a/deploys', { environment: 'e', url: 'file:///etc/passwd' }, 'url'],
    ['an end before the start', 'POST', '/releases/a/deploys', { environment: 'e', started_at: '2026-01-02T00:00:00Z', finished_at: '2026-01-01T00:00:00Z' }, 'started_at'],
    ['a start in the future', 'POST', '/releases/a/deploys', { environment: 'e', started_at: '2027-01-02T00:00:00Z' }, 'started_at'],
    ['a deploy of no release', 'POST', '/releases/a%0Ab/deploys', { environment: 'e' },         'release'],
  ] as const)('%s is refused and named', async (_name, method, path, body, field) => {
    const tenant = await api().tenant('Refused')
    const { status, body: answer } = await api().of(tenant, path, { method, body })
    expect([status, answer.details?.[0].field]).toEqual([400, field])
  })
})

describe('deploys', () => {
  test('are listed newest first, in the release, and the last one in the list', async () => {
    const tenant = await api().tenant('Deploys')
    const path = '/releases/app%401.0/deploys'
    const started = { started_at: at(-12), finished_at: at(-10) }
    const staging = await post(tenant, path, { environment: 'staging', name: 'a', ...started })
    expect(staging.status).toBe(201)
    expect(staging.body).toEqual({
      ...{ id: expect.any(String), environment: 'staging', name: 'a', url: null },
      ...started,
    })
    const live = await post(tenant, path, { environment: 'production', url: 'https://x.test' })
    expect(live.body).toMatchObject({ started_at: null, finished_at: at(0), name: null })
    const { body } = await api().of(tenant, path)
    expect(body).toEqual({ items: [live.body, staging.body] })
    expect((await api().of(tenant, '/releases/app%401.0')).body.deploys).toEqual(body.items)
    const [item] = (await api().of(tenant, '/releases')).body.items
    expect(item.last_deploy).toEqual({ environment: 'production', finished_at: at(0) })
    expect((await api().of(tenant, '/releases/other/deploys')).status).toBe(404)
  })

  test('a release keeps its newest 200', async () => {
    const tenant = await api().tenant('Many')
    await post(tenant, '/releases/a/deploys', { environment: 'old', finished_at: at(-9_000) })
    await api().pool.query(
      `insert into release_deploys (id, project_id, version, environment, name, finished_at)
       select gen_random_uuid(), $1, 'a', 'e', '', now() from generate_series(1, 199)`,
      [tenant.project.dsnId],
    )
    await post(tenant, '/releases/a/deploys', { environment: 'new' })
    const { body } = await api().of(tenant, '/releases/a/deploys')
    const environments = body.items.map((one: { environment: string }) => one.environment)
    expect(environments).toHaveLength(200)
    expect(environments).not.toContain('old')
  })
})

test('releases are ordered by version over all pages', async () => {
  const tenant = await api().tenant('Ordered')
  const versions = ['a@1.10.0', 'a@1.9.0', 'a@1.2.0-rc.1', 'a@1.2.0', 'a@2.0.0']
  for (const [index, version] of versions.entries()) {
    await api().addRelease(tenant, { version, first: index - 100, last: index - 50 })
  }
  const pages = await api().pages(tenant, '/releases?sort=version&limit=2')
  expect(pages).toHaveLength(3)
  const seen = pages.flatMap(({ body }) =>
    body.items.map((one: { version: string }) => one.version),
  )
  expect(seen).toEqual(['a@2.0.0', 'a@1.10.0', 'a@1.9.0', 'a@1.2.0', 'a@1.2.0-rc.1'])
})
