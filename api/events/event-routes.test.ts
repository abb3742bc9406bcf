import { beforeAll, expect, test } from 'vitest'
import { apiOfThisFile, at, hex, type Tenant } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()

let tenant: Tenant
let issueId: string
beforeAll(async () => {
  tenant = await api().tenant('Events')
  issueId = await api().addIssue(tenant, { hashes: ['e', 'e2'] })
  await api().addEvents(tenant, [
    // Three arrived in one millisecond, so that the id must decide.
    ...['1', '2', '3'].map((n) => ({ id: `e${n}`, hash: 'e', receivedAt: at(-5) })),
    { id: 'e4', hash: 'e2', receivedAt: at(-3), title: 'Ünique title', release: 'a@1' },
    {
      id: 'e5',
      hash: 'orphan',
      receivedAt: at(-4),
      environment: 'staging',
      user_id: '7',
      tags: { queue: 'orders', "it's": '{x:String}' },
      payload: '{"exception":{"values":[{"type":"TypeError"}]}}',
    },
  ])
})

const ids = (answer: { body: { items: { id: string }[] } }) =>
  answer.body.items.map((item) => item.id)

test('events of a project are listed newest first, each once over all pages', async () => {
  const all = await api().of(tenant, '/events')
  expect(ids(all).slice(0, 2)).toEqual([hex('e4'), hex('e5')])
  expect(new Set(ids(all)).size).toBe(5)
  const pages = await api().pages(tenant, '/events?limit=1')
  expect(pages.flatMap(ids)).toEqual(ids(all))
})

test('new events do not shift the pages of a list', async () => {
  const other = await api().tenant('Arriving')
  await api().addEvents(
    other,
    [1, 2, 3, 4].map((n) => ({ id: `p${n}`, hash: 'p', receivedAt: at(-n) })),
  )
  const first = await api().of(other, '/events?limit=2')
  await api().addEvents(other, [{ id: 'p0', hash: 'p', receivedAt: at(0) }])
  const second = await api().of(other, `/events?limit=2&cursor=${first.body.next_cursor}`)
  expect([...ids(first), ...ids(second)]).toEqual([1, 2, 3, 4].map((n) => hex(`p${n}`)))
})

test('an item has every field', async () => {
  const { body } = await api().of(tenant, '/events?environment=staging')
  expect(body.items).toEqual([
    {
      id: hex('e5'),
      issue_id: null,
      title: 'Error: it broke',
      level: 'error',
      timestamp: at(-4),
      received_at: at(-4),
      release: null,
      environment: 'staging',
      component: null,
      user: { id: '7', email: null, name: null, ip: null },
      tags: {
        queue: 'orders',
        "it's": '{x:String}',
        environment: 'staging',
        level: 'error',
        user: 'id:7',
      },
      derived_tags: ['environment', 'level', 'user'],
      stands_for: 0,
    },
  ])
})

// biome-ignore format: the columns are the point
test.each([
    ['text of the title, any case', 'query=%C3%BCNIQUE',  ['e4']],
    ['a percent sign means itself', 'query=%25',          []],
    ['SQL is text',                 "query=')%20or%201=1--", []],
    ['release',                     'release=a@1',        ['e4']],
    ['since',                       `since=${at(-4)}`,    ['e4', 'e5']],
    ['until',                       `since=${at(-4)}&until=${at(-3)}`, ['e5']],
  ] as const)('filter by %s', async (_name, query, want) => {
    expect(ids(await api().of(tenant, `/events?${query}`))).toEqual(want.map(hex))
  })

test('an issue’s events are those of all its hashes', async () => {
  const answer = await api().of(tenant, `/issues/${issueId}/events`)
  expect(new Set(ids(answer))).toEqual(new Set(['e1', 'e2', 'e3', 'e4'].map(hex)))
  expect(answer.body.items[0]).toMatchObject({ id: hex('e4'), issue_id: issueId })
})

test('an issue without hashes has no events', async () => {
  const id = await api().addIssue(tenant, {})
  expect(ids(await api().of(tenant, `/issues/${id}/events`))).toEqual([])
})

test('one event shows its payload, its grouping and its neighbours', async () => {
  const { status, body } = await api().of(tenant, `/events/${hex('e5')}`)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    id: hex('e5'),
    platform: 'node',
    culprit: 'main',
    fingerprint: hex('orphan'),
    grouping: { algorithm: 'g1' },
    payload: { exception: { values: [{ type: 'TypeError' }] } },
    previous_event_id: null,
    next_event_id: null,
  })
  const order = ids(await api().of(tenant, `/issues/${issueId}/events`))
  for (const [index, id] of order.entries()) {
    const one = await api().of(tenant, `/events/${id}`)
    expect(one.body.issue_id).toBe(issueId)
    expect(one.body.next_event_id).toBe(order[index - 1] ?? null)
    expect(one.body.previous_event_id).toBe(order[index + 1] ?? null)
  }
})

test('an id may be dashed and in upper case; a malformed id is 404', async () => {
  const id = hex('e4').toUpperCase()
  const dashedId = `${id.slice(0, 8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20)}`
  expect((await api().of(tenant, `/events/${dashedId}`)).body.id).toBe(hex('e4'))
  for (const wrong of ['x', hex('nothing'), '0'.repeat(32), "'%20or%201=1"]) {
    expect((await api().of(tenant, `/events/${wrong}`)).status).toBe(404)
  }
})
