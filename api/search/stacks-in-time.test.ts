/** The names of a stack are read of the time of the events that have it, and an hour before. */
import { beforeAll, expect, test } from 'vitest'
import { apiOfThisFile, at, hex, type Tenant } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
let tenant: Tenant
/** Lists of events begin with one day, lists of issues with two. */
const dayMinutes = 1_440

beforeAll(async () => {
  tenant = await api().tenant('Stacks')
  for (const days of [1, 2, 8, 14, 32]) {
    const receivedAt = (minutes: number) => at(-days * dayMinutes + minutes)
    const stack_id = days
    await api().addEvents(tenant, [
      {
        ...{ id: `named ${days}`, hash: `named ${days}`, receivedAt: receivedAt(-40), stack_id },
        ...{ stack_functions: ['pay'], stack_modules: [`shop.day${days}`], stack_in_app: 'yes' },
      },
      { id: `later ${days}`, hash: `later ${days}`, receivedAt: receivedAt(10), stack_id },
    ])
    await api().addIssue(tenant, {
      ...{ title: `later ${days}`, hashes: [`later ${days}`] },
      ...{ firstSeen: receivedAt(10), lastSeen: at(-1) },
    })
  }
})

test.each([1, 2, 8, 14, 32])(
  'an event %i days old is found by a stack named before it',
  async (days) => {
    for (const query of [`stack.module:shop.day${days}`, `stack.module:SHOP*day${days}`]) {
      const one = await api().of(tenant, `/events?limit=1&query=${encodeURIComponent(query)}`)
      expect(one.body.items.map(({ id }: { id: string }) => id)).toEqual([hex(`later ${days}`)])
      const pages = await api().pages(tenant, `/events?limit=1&query=${encodeURIComponent(query)}`)
      expect(pages.length).toBe(2)
      for (const since of [
        '',
        `&since=${at(-days * dayMinutes)}`,
        `&since=${at(-60 * dayMinutes)}`,
      ]) {
        const path = `/issues?query=${encodeURIComponent(query)}${since}`
        const { items } = (await api().of(tenant, path)).body
        expect([path, items.map(({ title }: { title: string }) => title)]).toEqual([
          path,
          [`later ${days}`],
        ])
      }
    }
  },
)

test('all are found together, and none beside a field that they lack', async () => {
  const titles = async (query: string) =>
    (
      await api().of(tenant, `/issues?sort=first_seen&query=${encodeURIComponent(query)}`)
    ).body.items.map(({ title }: { title: string }) => title)
  const all = [1, 2, 8, 14, 32].map((days) => `later ${days}`)
  expect(await titles('stack.function:pay')).toEqual(all)
  expect(await titles('stack.in_app:true has:stack.module')).toEqual(all)
  expect(await titles('!stack.function:pay')).toEqual([])
  expect(await titles('stack.function:pay (is:resolved OR stack.module:shop.day8)')).toEqual([
    'later 8',
  ])
})
