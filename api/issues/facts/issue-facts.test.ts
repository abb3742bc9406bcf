/** The page of an issue counts in one pass what the list reads from sums: they must agree. */
import { expect, test } from 'vitest'
import { apiOfThisFile, at, type Tenant } from '../../../test/fixtures/api-fixture.ts'
import { taggedEventsMax } from './hourly-series.ts'

const api = apiOfThisFile()

const texts = ['a', 'B c', 'ünï', '\u{1f600}', '\\', "'", '"', '%', 'x'.repeat(200), '1']

/** Events whose values follow from their number, of the last two months. */
function eventsOf(count: number) {
  return Array.from({ length: count }, (_, n) => ({
    id: `${n}`,
    hash: n % 3 === 0 ? 'other' : 'one',
    receivedAt: at(-n * n * 7 - 1),
    environment: texts[n % 7]!,
    component: n % 4 === 0 ? '' : texts[n % 9]!,
    user_id: n % 5 === 0 ? '' : `user ${n % 11}`,
    user_email: n % 10 === 0 ? `${n}@find.test` : '',
    release: `shop@1.${n % 12}`,
    tags: { queue: texts[n % texts.length]!, level: 'own' },
  }))
}

async function add(tenant: Tenant, count: number): Promise<string> {
  const events = eventsOf(90)
  const id = await api().addIssue(tenant, { hashes: ['one', 'other'], count })
  await api().addEvents(tenant, events)
  return id
}

test('the page and the list say the same of users, names and the last day', async () => {
  const tenant = await api().tenant('Facts')
  const id = await add(tenant, 90)
  const page = (await api().of(tenant, `/issues/${id}`)).body
  const [item] = (await api().of(tenant, '/issues')).body.items
  for (const key of Object.keys(item)) expect([key, page[key]]).toEqual([key, item[key]])
  expect(page.user_count).toBeGreaterThan(10)
  expect(page.environments).toHaveLength(7)
})

test('an issue with more events than are read at once has the same facts', async () => {
  const few = await api().tenant('Few')
  const many = await api().tenant('Many')
  const [small, large] = [await add(few, 90), await add(many, taggedEventsMax + 1)]
  const [one, other] = [
    (await api().of(few, `/issues/${small}`)).body,
    (await api().of(many, `/issues/${large}`)).body,
  ]
  const keys = ['tags', 'derived_tags', 'series_30d', 'series_24h', 'user_count', 'environments']
  for (const key of keys) expect([key, one[key]]).toEqual([key, other[key]])
  expect(one.tags.release).toHaveLength(10)
  expect(one.tags.level).toEqual([{ value: 'own', count: 90 }])
})

test('an issue without stored events has no facts', async () => {
  const tenant = await api().tenant('No facts')
  const id = await api().addIssue(tenant, { hashes: ['gone'], count: 5 })
  const { body } = await api().of(tenant, `/issues/${id}`)
  expect(body).toMatchObject({
    ...{ events_expired: true, user_count: 0, tags: {}, derived_tags: [] },
    ...{ components: [], environments: [], series_30d: Array(30).fill(0) },
  })
})
