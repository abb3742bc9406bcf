import { beforeAll, expect, test } from 'vitest'
import { apiOfThisFile, at, hex, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { briefCharactersMax } from './brief-issue.ts'

const api = apiOfThisFile()
let tenant: Tenant
let issueId: string

const frame = (name: string, inApp: boolean, line: number) => ({
  function: name,
  filename: `src/${name}.ts`,
  lineno: line,
  colno: 7,
  in_app: inApp,
  pre_context: ['function before() {', '  const items = load()'],
  context_line: `  return items.${name}.id`,
  post_context: ['}', '```'],
})
const payload = {
  exception: {
    values: [
      { type: 'RangeError', value: 'the cause', stacktrace: { frames: [frame('load', true, 3)] } },
      {
        type: 'TypeError',
        value: "Cannot read properties of undefined (reading 'id')",
        mechanism: { handled: false },
        stacktrace: {
          frames: [frame('serve', false, 900), frame('addToCart', true, 42), frame('at', false, 7)],
        },
      },
    ],
  },
  breadcrumbs: {
    values: Array.from({ length: 20 }, (_, index) => ({
      timestamp: at(-6),
      level: 'info',
      category: 'query',
      message: `select ${index}`,
    })),
  },
  request: {
    method: 'POST',
    url: 'https://shop.test/cart',
    headers: [
      ['User-Agent', 'curl/8'],
      ['Cookie', 'session=secret'],
      ['Authorization', 'Bearer secret'],
    ],
  },
  user: { email: 'ada@people.test' },
}

beforeAll(async () => {
  tenant = await api().tenant('Shop')
  const title = 'TypeError: Cannot read properties'
  issueId = await api().addIssue(tenant, {
    hashes: ['t'],
    title,
    culprit: 'addToCart',
    substatus: 'new',
    release: 'shop@1.4.0',
    count: 42,
  })
  const near = 'TypeError: Cannot read property'
  await api().addIssue(tenant, { title: near, culprit: 'elsewhere', count: 1 })
  await api().addIssue(tenant, { title: 'TypeError: another', culprit: 'addToCart', count: 1 })
  await api().addIssue(tenant, { title: 'Error: same place', culprit: 'addToCart', count: 1 })
  await api().addIssue(tenant, { title: 'TypeErrors: no', culprit: 'other', count: 1 })
  await api().addEvents(tenant, [
    { id: 'old', hash: 't', receivedAt: at(-9), payload: '{}' },
    {
      id: 'newest',
      hash: 't',
      receivedAt: at(-2),
      title,
      exception_type: 'TypeError',
      release: 'shop@1.4.1',
      environment: 'production',
      user_email: 'ada@people.test',
      tags: { queue: 'orders' },
      payload: JSON.stringify(payload),
    } as never,
  ])
})

test('the brief of an issue tells what fails, where, since when and for how many', async () => {
  const { status, headers, body } = await api().of(tenant, `/issues/${issueId}.md`)
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('text/markdown; charset=utf-8')
  expect(headers['x-content-type-options']).toBe('nosniff')
  const text = String(body)
  expect(text).toMatch(/^# Issue SHOP-1\n/)
  for (const part of [
    '- State: unresolved (new)',
    '- Events: 42; users: 1',
    `- First seen: ${at(-60)}; last seen: ${at(-1)}`,
    `newest event, ${hex('newest')}, received ${at(-2)}`,
    '| title: TypeError: Cannot read properties\n',
    '| last release: shop@1.4.0\n',
    '| release: shop@1.4.1\n',
    "| TypeError: Cannot read properties of undefined (reading 'id') [unhandled]\n",
    '|   at addToCart (src/addToCart.ts:42:7) [in app]\n',
    '|     >    42 |   return items.addToCart.id\n',
    '|          41 |   const items = load()\n',
    '|          44 | ```\n',
    '|   (1 other frames are left out)\n',
    '| RangeError: the cause\n',
    '| POST https://shop.test/cart\n| User-Agent: curl/8\n```',
    '| queue: orders\n',
    'select 19\n',
    'TypeError: Cannot read property (elsewhere)',
    'TypeError: another (addToCart)',
  ]) {
    expect(text).toContain(part)
  }
  expect(text.indexOf('| TypeError: Cannot read')).toBeLessThan(text.indexOf('| RangeError'))
  const { body: similar } = await api().of(tenant, `/issues/${issueId}/similar`)
  const ids = similar.items.map(({ id }: { id: string }) => id)
  expect(ids).toHaveLength(2)
  expect([...ids].sort((a, b) => text.indexOf(a) - text.indexOf(b))).toEqual(ids)
  for (const id of ids) expect(text).toContain(id)
  for (const absent of [
    'select 7',
    'TypeErrors',
    'same place',
    'secret',
    'ada@people.test',
    'serve (',
  ]) {
    expect(text).not.toContain(absent)
  }
})

test('the brief of an event', async () => {
  const { status, headers, body } = await api().of(tenant, `/events/${hex('newest')}.md`)
  expect([status, headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8'])
  expect(body).toMatch(new RegExp(`^# Event ${hex('newest')}\n`))
  expect(body).toContain(`issues/${issueId}.md`)
  expect(body).toContain(`Previous event: ${hex('old')}; next event: none`)
  expect(body).toContain('at addToCart')
  for (const wrong of ['x', hex('nothing')]) {
    expect((await api().of(tenant, `/events/${wrong}.md`)).status).toBe(404)
  }
})

test('an issue without stored events still has a brief', async () => {
  const id = await api().addIssue(tenant, { title: 'Error: expired', count: 3 })
  const { status, body } = await api().of(tenant, `/issues/${id}.md`)
  expect([status, String(body).includes('No event of this issue is stored')]).toEqual([200, true])
})

test('the largest brief is within the limit', async () => {
  const long = 'x'.repeat(5_000)
  const huge = {
    exception: {
      values: Array.from({ length: 9 }, () => ({
        type: long,
        value: long,
        stacktrace: {
          frames: Array.from({ length: 60 }, (_, index) => ({
            ...frame(long, true, index),
            context_line: long,
            pre_context: Array.from({ length: 9 }, () => long),
          })),
        },
      })),
    },
    breadcrumbs: { values: Array.from({ length: 90 }, () => ({ message: long, data: { long } })) },
    request: { url: long, query_string: long },
  }
  const tags = Object.fromEntries(Array.from({ length: 90 }, (_, key) => [`${long}${key}`, long]))
  const id = await api().addIssue(tenant, { hashes: ['h'], title: long, culprit: long })
  for (let count = 0; count < 6; count += 1) {
    await api().addIssue(tenant, { title: long, culprit: long })
  }
  const texts = { title: long, release: long, environment: long, component: long }
  await api().addEvents(tenant, [
    { id: 'huge', hash: 'h', tags, ...texts, payload: JSON.stringify(huge) },
  ])
  await api().pool.query(
    `insert into issue_activity (issue_id, kind, actor, data, at)
     select $1, 'comment', $2, $3, now() from generate_series(1, 40)`,
    [id, { type: 'token', label: long }, { text: long }],
  )
  const { status, body } = await api().of(tenant, `/issues/${id}.md`)
  expect(status).toBe(200)
  expect(body.length).toBeGreaterThan(20_000)
  expect(body.length).toBeLessThanOrEqual(briefCharactersMax)
})

test('a merged issue redirects to the brief of the issue that has its events', async () => {
  const from = await api().addIssue(tenant, { hashes: ['from'] })
  const into = await api().addIssue(tenant, { hashes: ['into'] })
  const merged = { method: 'POST', body: { into } } as const
  expect((await api().of(tenant, `/issues/${from}/merge`, merged)).status).toBe(200)
  const { status, headers } = await api().of(tenant, `/issues/${from}.md`)
  const path = `/api/v1/projects/${tenant.project.id}/issues/${into}.md`
  expect([status, headers['location']]).toEqual([307, path])
  expect((await api().call(path, { token: tenant.token })).status).toBe(200)
})

test('the credentials and scopes are those of the JSON routes', async () => {
  const path = `/api/v1/projects/${tenant.project.id}/issues/${issueId}.md`
  expect((await api().call(path)).status).toBe(401)
  const other = await api().tenant('Other')
  expect((await api().call(path, { token: other.token })).status).toBe(404)
  const foreign = await api().of(other, `/issues/${issueId}.md`)
  expect([foreign.status, foreign.body.code]).toEqual([404, 'not_found'])
  const feedback = await api().tenant('Feedback', ['feedback:read'])
  expect((await api().of(feedback, `/issues/${issueId}.md`)).body.code).toBe('missing_scope')
  const login = await api().login(tenant, 'viewer')
  expect((await api().call(path, { login })).status).toBe(200)
})
