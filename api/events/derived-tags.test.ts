import { beforeAll, describe, expect, test } from 'vitest'
import { dashed } from '#schemas/ids.ts'
import { apiOfThisFile, at, hex, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { allTags, derivedTagNames } from './derived-tags.ts'

const api = apiOfThisFile()

/** Every fact that has a tag. The payload is that of a version that wrote fewer columns. */
const facts = {
  release: 'shop@1.4.1',
  environment: 'production',
  level: 'fatal',
  transaction: '/pay',
  url: 'https://shop.example/pay',
  user_email: 'ann@example.com',
  browser: 'Chrome 126.0.0',
  browser_name: 'Chrome',
  os: 'Windows 10',
  os_name: 'Windows',
  device_model: 'Pixel 8',
  device_family: 'Pixel',
  runtime: 'node v22.1.0',
  runtime_name: 'node',
  handled: 'no',
  mechanism: 'onerror',
  server_name: 'web-1',
  sdk: 'sentry.javascript/10.78.0',
}
const wanted = {
  release: 'shop@1.4.1',
  environment: 'production',
  level: 'fatal',
  transaction: '/pay',
  url: 'https://shop.example/pay',
  user: 'email:ann@example.com',
  browser: 'Chrome 126.0.0',
  'browser.name': 'Chrome',
  os: 'Windows 10',
  'os.name': 'Windows',
  device: 'Pixel 8',
  'device.family': 'Pixel',
  runtime: 'node v22.1.0',
  'runtime.name': 'node',
  handled: 'no',
  mechanism: 'onerror',
  server_name: 'web-1',
  sdk: 'sentry.javascript/10.78.0',
}

let tenant: Tenant
let issueId: string
beforeAll(async () => {
  tenant = await api().tenant('Derived')
  issueId = await api().addIssue(tenant, { hashes: ['d'] })
  const fields = [1, 2].map((no) => dashed(hex(`s${no}`)))
  await api().addEvents(tenant, [
    { id: 'd1', hash: 'd', receivedAt: at(-1), ...facts, tags: { queue: 'mail' } },
    {
      id: 'd2',
      hash: 'd',
      receivedAt: at(-2),
      ...facts,
      browser: 'Firefox 127.0',
      device_model: '',
    },
    { id: 'd3', hash: 'd', receivedAt: at(-3), browser: 'Firefox 127.0', sampled_ids: fields },
    { id: 'd4', hash: 'd', receivedAt: at(-4), ...facts, tags: { handled: 'maybe', sdk: '' } },
    { id: 'd5', hash: 'other', receivedAt: at(-5), ...facts, browser: 'Edge 1' },
  ])
})

test('every fact is a tag of an event, and of its detail', async () => {
  const { body } = await api().of(tenant, '/events')
  expect(body.items[0].tags).toEqual({ queue: 'mail', ...wanted })
  expect(body.items[0].derived_tags).toEqual(derivedTagNames)
  expect(Object.keys(wanted)).toEqual(derivedTagNames)
  const { body: detail } = await api().of(tenant, `/events/${hex('d2')}`)
  expect(detail.tags).toMatchObject({ browser: 'Firefox 127.0', device: 'Pixel' })
})

test('a tag of the client wins, also an empty one', async () => {
  const { body } = await api().of(tenant, `/events/${hex('d4')}`)
  expect(body.tags).toMatchObject({ handled: 'maybe', sdk: '', os: 'Windows 10' })
  expect(body.derived_tags).not.toContain('handled')
  expect(body.derived_tags).not.toContain('sdk')
})

test('an issue counts each value, with the events that a row stands for', async () => {
  const { body } = await api().of(tenant, `/issues/${issueId}`)
  expect(body.tags.browser).toEqual([
    { value: 'Firefox 127.0', count: 4 },
    { value: 'Chrome 126.0.0', count: 2 },
  ])
  expect(body.tags.device).toEqual([
    { value: 'Pixel 8', count: 2 },
    { value: 'Pixel', count: 1 },
  ])
  expect(body.tags.level).toEqual([
    { value: 'error', count: 3 },
    { value: 'fatal', count: 3 },
  ])
  // One event set the tag itself.
  expect(body.tags.handled).toEqual([{ value: 'maybe', count: 1 }])
  expect(body.derived_tags).toContain('browser')
  expect(body.derived_tags).not.toContain('handled')
  expect(body.derived_tags).not.toContain('queue')
})

test('an issue without events has no tags', async () => {
  const id = await api().addIssue(tenant, { hashes: ['nothing'] })
  const { body } = await api().of(tenant, `/issues/${id}`)
  expect([body.tags, body.derived_tags]).toEqual([{}, []])
})

describe('for a search', () => {
  test('they are named after the tags that clients set', async () => {
    const { body } = await api().of(tenant, '/tags')
    expect(body.items).toContainEqual({ key: 'browser', count: 7, is_derived: true })
    expect(body.items).toContainEqual({ key: 'os', count: 4, is_derived: true })
    expect(body.items).toContainEqual({ key: 'handled', count: 1, is_derived: false })
    const { body: some } = await api().of(tenant, '/tags?prefix=BROW&limit=1')
    expect(some.items).toEqual([{ key: 'browser', count: 7, is_derived: true }])
  })

  test.each([
    ['browser', 'fire', [{ value: 'Firefox 127.0', count: 4 }]],
    [
      'device',
      '',
      [
        { value: 'Pixel 8', count: 3 },
        { value: 'Pixel', count: 1 },
      ],
    ],
    ['mechanism', '', [{ value: 'onerror', count: 4 }]],
    ['tags[handled]', '', [{ value: 'maybe', count: 1 }]],
  ])('values of %s', async (key, prefix, want) => {
    const path = `/tags/${encodeURIComponent(key)}/values?prefix=${prefix}`
    expect((await api().of(tenant, path)).body.items).toEqual(want)
  })
})

test('a short column, as of rows that have fewer facts, is no fault', () => {
  expect(allTags({ tags: { a: 'b' }, derived: [] })).toEqual({ tags: { a: 'b' }, derivedNames: [] })
})
