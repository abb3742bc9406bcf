import { describe, expect, test } from 'vitest'
import { similarCandidatesMax } from '#schemas/rest/issue-insights.ts'
import { apiOfThisFile, at, hex, type Tenant } from '../../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
const ids = (body: { items: { id: string }[] }) => body.items.map(({ id }) => id)
const get = (tenant: Tenant, id: string, path: string) => api().of(tenant, `/issues/${id}${path}`)

describe('similar issues', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['the same type and culprit',  'TypeError: x is null',             'cart.add',  ['exception_type', 'culprit']],
    ['a title that differs in one word', 'TypeError: no id in the basket', 'other', ['exception_type', 'title']],
    ['the same title',             'TypeError: no id in the cart',     'other',     ['exception_type', 'title']],
    ['all three',                  'TypeError: no id in the carts',    'cart.add',  ['exception_type', 'culprit', 'title']],
    ['the same type alone',        'TypeError: boom',                  'other',     undefined],
    ['the same culprit alone',     'KeyError: boom',                   'cart.add',  undefined],
    ['a type that only begins alike', 'TypeErrors: boom',              'cart.add',  undefined],
    ['a pattern of SQL',           'TypeError%',                       '%',         undefined],
    ['nothing',                    '',                                 '',          undefined],
  ] as const)('%s', async (_what, title, culprit, reasons) => {
    const tenant = await api().tenant('Similar')
    const id = await api().addIssue(tenant, {
      title: 'TypeError: no id in the cart',
      culprit: 'cart.add',
    })
    const other = await api().addIssue(tenant, { title, culprit })
    const { status, body } = await get(tenant, id, '/similar')
    expect([status, body.next_cursor]).toEqual([200, null])
    expect(ids(body)).toEqual(reasons === undefined ? [] : [other])
    expect(body.items[0]?.reasons).toEqual(reasons)
  })

  test('an item has every field, the nearest is first, and merged issues are left out', async () => {
    const tenant = await api().tenant('Similar order')
    const id = await api().addIssue(tenant, { title: 'Error: a b c d', culprit: 'main' })
    const far = await api().addIssue(tenant, { title: 'Error: something', culprit: 'main' })
    const near = await api().addIssue(tenant, { title: 'Error: a b c e', culprit: 'main' })
    const merged = await api().addIssue(tenant, { title: 'Error: a b c d', culprit: 'main' })
    await api().pool.query('update issues set merged_into = $1 where id = $2', [far, merged])
    const { body } = await get(tenant, id, '/similar')
    expect(ids(body)).toEqual([near, far])
    expect(body.items[0]).toEqual({
      id: near,
      short_id: 'SIMILAR-ORDER-3',
      title: 'Error: a b c e',
      culprit: 'main',
      level: 'error',
      status: 'unresolved',
      count: 1,
      first_seen: at(-60),
      last_seen: at(-1),
      similarity: expect.any(Number),
      reasons: ['exception_type', 'culprit', 'title'],
    })
  })

  test('texts of any kind and length are compared, and at most ten are listed', async () => {
    const tenant = await api().tenant('Hostile')
    const title = `\u202eError: '"\\%_${'x'.repeat(10_000)}`
    const id = await api().addIssue(tenant, { title, culprit: '' })
    for (let count = 0; count < 12; count += 1) await api().addIssue(tenant, { title, culprit: '' })
    expect((await get(tenant, id, '/similar')).body.items).toHaveLength(10)
  })

  test('only the issues that were seen last are compared', async () => {
    const tenant = await api().tenant('Many')
    const old = { title: 'Error: of the owner', lastSeen: at(-10_000) }
    const id = await api().addIssue(tenant, old)
    const older = await api().addIssue(tenant, { ...old, lastSeen: at(-20_000) })
    await api().addIssue(tenant, old)
    expect((await get(tenant, id, '/similar')).body.items).toHaveLength(2)
    await api().pool.query(
      `insert into issues (id, project_id, short_no, title, culprit, level, platform, count, first_seen, last_seen)
       select gen_random_uuid(), $1, 10 + n, 'Warning ' || n, 'x', 'error', 'node', 1, now(), now()
       from generate_series(1, $2::int) n`,
      [tenant.project.dsnId, similarCandidatesMax - 2],
    )
    const { body } = await get(tenant, id, '/similar')
    expect(body.items).toHaveLength(1)
    expect(ids(body)).not.toContain(older)
  })
})

describe('the users of an issue', () => {
  test('are counted by their identity, with the most events first', async () => {
    const tenant = await api().tenant('Users')
    const id = await api().addIssue(tenant, { hashes: ['u1', 'u2'] })
    await api().addIssue(tenant, { hashes: ['other'] })
    await api().addEvents(tenant, [
      { id: 'a', hash: 'u1', receivedAt: at(-9), user_id: '7', user_email: 'old@x.test' },
      { id: 'b', hash: 'u2', receivedAt: at(-3), user_id: '7', user_email: 'new@x.test' },
      { id: 'c', hash: 'u1', receivedAt: at(-2), user_email: 'z@x.test' },
      { id: 'd', hash: 'u1', receivedAt: at(-1) },
      { id: 'e', hash: 'other', user_id: '8' },
    ])
    await api().addEvents(tenant, [
      { id: 'f', hash: 'u1', receivedAt: at(-2), user_id: '<script>', sampled_ids: [hex('s')] },
    ])
    const { body } = await get(tenant, id, '/users')
    expect(body.total).toBe(3)
    expect(body.items).toMatchObject([
      { id: '<script>', count: 2 },
      { id: '7', email: 'new@x.test', name: null, ip: null, count: 2 },
      { id: null, email: 'z@x.test', count: 1 },
    ])
    expect(body.items[1]).toMatchObject({
      first_seen: at(-9),
      last_seen: at(-3),
      latest_event_id: hex('b'),
    })
    const one = await get(tenant, id, '/users?limit=1')
    expect([one.body.items.length, one.body.total]).toEqual([1, 3])
  })

  test.each(['limit=0', 'limit=101', 'limit=x', 'limit=1e9', 'cursor=x'])(
    '%s is refused',
    async (query) => {
      const tenant = await api().tenant('Refused')
      const id = await api().addIssue(tenant, {})
      expect((await get(tenant, id, `/users?${query}`)).status).toBe(400)
    },
  )

  test('of an issue without events or hashes are none', async () => {
    const tenant = await api().tenant('None')
    const id = await api().addIssue(tenant, {})
    const empty = { items: [], next_cursor: null, total: 0 }
    expect((await get(tenant, id, '/users')).body).toEqual(empty)
    expect((await get(tenant, id, '/hashes')).body.items).toEqual([])
    expect((await get(tenant, id, '/events/latest')).status).toBe(404)
  })
})

test('hashes have the title of their latest event and the issue that they came from', async () => {
  const tenant = await api().tenant('Hashes')
  const into = await api().addIssue(tenant, { title: 'Error: a', hashes: ['h1'], count: 9 })
  const from = await api().addIssue(tenant, {
    title: 'Error: b',
    hashes: ['h2'],
    count: 2,
    explanation: { algorithm: 'g1', path: 'message', summary: 'Its message.' },
  })
  await api().of(tenant, `/issues/${from}/merge`, { method: 'POST', body: { into } })
  const { body } = await get(tenant, into, '/hashes')
  expect(body.items).toEqual([
    expect.objectContaining({ hash: hex('h1'), title: 'Error: a', count: 9, came_from: null }),
    {
      hash: hex('h2'),
      title: 'Error: b',
      culprit: 'main',
      level: 'error',
      summary: 'Its message.',
      count: 2,
      first_seen: at(-60),
      last_seen: at(-1),
      came_from: { id: from, short_id: 'HASHES-2', title: 'Error: b' },
    },
  ])
  const hashes = [body.items[1].hash]
  await api().of(tenant, `/issues/${into}/unmerge`, { method: 'POST', body: { hashes } })
  expect((await get(tenant, into, '/hashes')).body.items).toHaveLength(1)
  expect((await get(tenant, from, '/hashes')).body.items).toMatchObject([{ hash: hex('h2') }])
})

describe('single events', () => {
  test('are the latest, the oldest and the one that says most', async () => {
    const tenant = await api().tenant('Places')
    const id = await api().addIssue(tenant, { hashes: ['p1', 'p2'] })
    await api().addEvents(tenant, [
      { id: 'first', hash: 'p1', receivedAt: at(-90) },
      {
        id: 'rich',
        hash: 'p2',
        receivedAt: at(-60),
        user_id: '7',
        release: 'a@1',
        tags: { a: 'b' },
      },
      {
        id: 'rich but old',
        hash: 'p2',
        receivedAt: at(-80),
        user_id: '7',
        release: 'a@1',
        tags: { a: 'b' },
      },
      { id: 'poor', hash: 'p1', receivedAt: at(-30), user_id: '7' },
      { id: 'last', hash: 'p1', receivedAt: at(-10) },
      {
        id: 'foreign',
        hash: 'p3',
        receivedAt: at(-1),
        user_id: '7',
        release: 'a@1',
        tags: { a: 'b' },
      },
    ])
    const place = async (name: string) => (await get(tenant, id, `/events/${name}`)).body
    expect((await place('latest')).id).toBe(hex('last'))
    expect(await place('oldest')).toMatchObject({
      id: hex('first'),
      previous_event_id: null,
      next_event_id: hex('rich but old'),
    })
    expect((await place('recommended')).id).toBe(hex('rich'))
    for (const name of ['latest', 'oldest', 'recommended']) {
      const event = await place(name)
      expect((await api().of(tenant, `/events/${event.id}`)).body, name).toEqual(event)
    }
  })

  test.each(['newest', 'x'.repeat(300), '%00', '%ff', 'Latest', '..'])(
    '%s is no place',
    async (place) => {
      const tenant = await api().tenant('Nowhere')
      const id = await api().addIssue(tenant, { hashes: ['n'] })
      const { status } = await get(tenant, id, `/events/${place}`)
      expect([400, 404]).toContain(status)
      if (/^\w+$/.test(place)) expect(status).toBe(404)
    },
  )
})

test.each(['/similar', '/users', '/hashes', '/events/latest'])(
  '%s of a merged issue leads to the issue that has its events, and nobody else sees it',
  async (path) => {
    const tenant = await api().tenant('Merged')
    const into = await api().addIssue(tenant, { hashes: ['m1'] })
    const from = await api().addIssue(tenant, { hashes: ['m2'] })
    await api().of(tenant, `/issues/${from}/merge`, { method: 'POST', body: { into } })
    const answer = await get(tenant, from, path)
    expect([answer.status, answer.headers['location']]).toEqual([
      307,
      `/api/v1/projects/${tenant.project.id}/issues/${into}${path}`,
    ])
    const stranger = await api().tenant('Stranger')
    expect((await get(stranger, into, path)).status).toBe(404)
    expect((await get(tenant, 'x', path)).status).toBe(404)
  },
)
