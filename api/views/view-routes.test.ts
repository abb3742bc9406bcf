import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { savedViewsMax } from '#schemas/rest/saved-view.ts'
import { apiOfThisFile, type PersonLogin, type Tenant } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
let tenant: Tenant
let ada: PersonLogin
let bob: PersonLogin

beforeAll(async () => {
  tenant = await api().tenant('Shop')
  ada = await api().login(tenant, 'owner')
  bob = await api().login(tenant, 'member')
})
beforeEach(() => api().pool.query('delete from saved_views'))

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** As a person, or without one with the access token. */
function ask(method: Method, path: string, body?: unknown, login?: PersonLogin) {
  const sent = body === undefined ? { method } : { method, body }
  return login === undefined
    ? api().of(tenant, `/views${path}`, sent)
    : api().call(`/api/v1/projects/${tenant.project.id}/views${path}`, { ...sent, login })
}
const add = async (name: string, more: object = {}, login?: PersonLogin) =>
  (await ask('POST', '', { name, params: 'sort=count', ...more }, login)).body.id as string
const names = async (login?: PersonLogin) =>
  (await ask('GET', '', undefined, login)).body.items.map(
    ({ name, shared, position }: { name: string; shared: boolean; position: number }) =>
      `${name} ${shared ? 'shared' : 'own'} ${position}`,
  )

test('a view is saved with its page and its address', async () => {
  const params = 'query=is:unresolved%20%22out+of+memory%22&sort=count&columns[]=a,b'
  const { status, body } = await ask('POST', '', { name: ' Größe ', params }, ada)
  expect([status, body]).toEqual([
    201,
    {
      id: expect.any(String),
      page: 'issues',
      name: 'Größe',
      params,
      shared: false,
      position: 0,
      created_at: new Date(api().time.nowMs).toISOString(),
      updated_at: new Date(api().time.nowMs).toISOString(),
    },
  ])
})

test('own views are seen by their person alone, shared ones by all and by programs', async () => {
  await add('a', {}, ada)
  const own = await add('b', {}, bob)
  await add('c', { shared: true }, ada)
  await add('d', { shared: true })
  expect(await names(ada)).toEqual(['c shared 0', 'd shared 1', 'a own 0'])
  expect(await names(bob)).toEqual(['c shared 0', 'd shared 1', 'b own 0'])
  expect(await names()).toEqual(['c shared 0', 'd shared 1'])
  for (const login of [ada, undefined]) {
    expect((await ask('PATCH', `/${own}`, { name: 'x' }, login)).status).toBe(404)
    expect((await ask('DELETE', `/${own}`, undefined, login)).status).toBe(404)
  }
  expect((await ask('DELETE', `/${own}`, undefined, bob)).status).toBe(204)
  expect((await ask('DELETE', `/${own}`, undefined, bob)).status).toBe(404)
})

test('a viewer reads and may not write', async () => {
  const viewer = await api().login(tenant, 'viewer')
  const id = await add('c', { shared: true }, ada)
  expect(await names(viewer)).toEqual(['c shared 0'])
  for (const [method, path] of [
    ['POST', ''],
    ['PATCH', `/${id}`],
    ['DELETE', `/${id}`],
  ] as const) {
    const body = method === 'DELETE' ? undefined : { name: 'x', params: '' }
    expect((await ask(method, path, body, viewer)).status).toBe(403)
  }
})

test('views move among those of their kind', async () => {
  const [a, b, c] = [await add('a', {}, ada), await add('b', {}, ada), await add('c', {}, ada)]
  const shared = await add('s', { shared: true }, ada)
  await add('theirs', {}, bob)
  expect((await ask('PATCH', `/${c}`, { position: 0 }, ada)).body.position).toBe(0)
  expect(await names(ada)).toEqual(['s shared 0', 'c own 0', 'a own 1', 'b own 2'])
  expect((await ask('PATCH', `/${c}`, { position: 99 }, ada)).body.position).toBe(2)
  const { body } = await ask('PATCH', `/${a}`, { shared: true }, ada)
  expect(body).toMatchObject({ shared: true, position: 1 })
  await ask('PATCH', `/${shared}`, { shared: false, position: 0 }, ada)
  expect(await names(ada)).toEqual(['a shared 1', 's own 0', 'b own 1', 'c own 2'])
  expect(await names(bob)).toEqual(['a shared 1', 'theirs own 0'])
  expect((await ask('PATCH', `/${b}`, {}, ada)).body).toMatchObject({ name: 'b', position: 1 })
})

test('two people who move views at once leave each view one place', async () => {
  const ids = await Promise.all(['a', 'b', 'c', 'd'].map((name) => add(name, { shared: true })))
  await Promise.all(
    ids.map((id, index) => ask('PATCH', `/${id}`, { position: 3 - index }, index % 2 ? ada : bob)),
  )
  const items: { position: number }[] = (await ask('GET', '')).body.items
  expect(items.map(({ position }) => position)).toEqual([0, 1, 2, 3])
})

test('a hundred shared ones and a hundred of a person are the most', async () => {
  await api().pool.query(
    `insert into saved_views (id, project_id, person_id, page, name, params, position, created_at, updated_at)
     select gen_random_uuid(), $1, person, 'issues', n::text, '', n - 1, now(), now()
     from generate_series(1, $2::int) n, unnest(array[null, $3::uuid]) person`,
    [tenant.project.dsnId, savedViewsMax, ada.personId],
  )
  for (const shared of [true, false]) {
    const { status, body } = await ask('POST', '', { name: 'x', params: '', shared }, ada)
    expect([status, body.code]).toEqual([409, 'conflict'])
  }
  const id = await add('x', {}, bob)
  expect((await ask('PATCH', `/${id}`, { shared: true }, bob)).status).toBe(409)
  expect((await ask('PATCH', `/${id}`, { position: 5 }, bob)).status).toBe(200)
})

test('the audit log has changes of shared views only', async () => {
  await api().pool.query(`delete from audit_log where action like 'view.%'`)
  const own = await add('own', {}, ada)
  const shared = await add('shared', { shared: true }, ada)
  await ask('PATCH', `/${own}`, { name: 'x' }, ada)
  await ask('PATCH', `/${shared}`, { name: 'y' }, bob)
  await ask('DELETE', `/${shared}`, undefined, ada)
  await ask('DELETE', `/${own}`, undefined, ada)
  const { rows } = await api().pool.query(
    `select action, subject_id, actor from audit_log where action like 'view.%' order by id`,
  )
  expect(rows).toEqual([
    { action: 'view.created', subject_id: shared, actor: ada.email },
    { action: 'view.updated', subject_id: shared, actor: bob.email },
    { action: 'view.deleted', subject_id: shared, actor: ada.email },
  ])
})

test('the own views of a person end with the person', async () => {
  const eve = await api().login(tenant, 'member')
  await add('e', {}, eve)
  await add('s', { shared: true }, eve)
  await api().pool.query('delete from people where id = $1', [eve.personId])
  const { rows } = await api().pool.query('select name from saved_views')
  expect(rows).toEqual([{ name: 's' }])
})

describe('a view is refused', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['without a name',        { params: '' },                                  'name'],
    ['with a blank name',     { name: '  ', params: '' },                      'name'],
    ['with a long name',      { name: 'x'.repeat(101), params: '' },           'name'],
    ['with a bidi name',      { name: '\u202e', params: '' },                  'name'],
    ['with NUL in the name',  { name: 'x\u0000', params: '' },                 'name'],
    ['without params',        { name: 'x' },                                   'params'],
    ['with long params',      { name: 'x', params: 'x'.repeat(4_001) },        'params'],
    ['with a question mark first', { name: 'x', params: '?sort=count' },       'params'],
    ['with a space',          { name: 'x', params: 'query=a b' },              'params'],
    ['with a fragment',       { name: 'x', params: 'a=b#c' },                  'params'],
    ['with markup',           { name: 'x', params: '<script>' },               'params'],
    ['with broken escapes',   { name: 'x', params: 'a=%f' },                   'params'],
    ['with bytes that are no UTF-8', { name: 'x', params: 'a=%ff' },           'params'],
    ['with 51 parameters',    { name: 'x', params: 'a=b&'.repeat(50) },        'params'],
    ['of an unknown page',    { name: 'x', params: '', page: 'operation' },    'page'],
    ['with a number for shared', { name: 'x', params: '', shared: 1 },         'shared'],
    ['with another field',    { name: 'x', params: '', person_id: 'x' },       'person_id'],
    ['that a program keeps for itself', { name: 'x', params: '', shared: false }, 'shared'],
  ])('%s', async (_what, body, field) => {
    const { status, body: answer } = await ask('POST', '', body)
    expect([status, answer.code]).toEqual([400, 'validation_failed'])
    expect(answer.details[0].field).toBe(field)
    expect(await names()).toEqual([])
  })

  test.each([{ position: -1 }, { position: 1e9 }, { position: 0.5 }, { page: 'events' }])(
    'when it is changed to %j',
    async (change) => {
      const id = await add('x', { shared: true })
      expect((await ask('PATCH', `/${id}`, change)).status).toBe(400)
    },
  )
})
