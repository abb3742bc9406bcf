import { expect, test } from 'vitest'
import { idsOf, namesOf, toggled } from './use-selection.ts'

const items = Array.from({ length: 150 }, (_, index) => ({
  id: `id-${index}`,
  short_id: `SHOP-${index}`,
}))
const some = new Set(['id-2', 'id-0'])

test.each([
  ['nothing', new Set<string>(), undefined],
  ['issues in the order of the list', some, 'SHOP-0,SHOP-2'],
  ['an issue that is not loaded', new Set(['gone']), undefined],
  ['as many as an address may name', new Set(items.slice(0, 100).map(({ id }) => id)), /SHOP-99$/],
  ['too many for an address', new Set(items.slice(0, 101).map(({ id }) => id)), undefined],
])('the address of a selection: %s', (_name, ids, want) => {
  const names = namesOf(items, ids)
  if (want instanceof RegExp) expect(names).toMatch(want)
  else expect(names).toBe(want)
})

test.each([
  ['no address', undefined, []],
  ['two issues', 'SHOP-0,SHOP-2', ['id-0', 'id-2']],
  ['issues that are not in the list', 'SHOP-999,SHOP-1,,nonsense', ['id-1']],
])('the selection of %s', (_name, text, want) => {
  expect([...idsOf(items, text)]).toEqual(want)
})

test('a range begins at the row that was chosen before', () => {
  const selection = { ids: new Set(['id-9']), items, lastId: 'id-5', isRange: true } as const
  expect([...toggled({ ...selection, id: 'id-3' })]).toEqual(['id-9', 'id-3', 'id-4', 'id-5'])
  expect([...toggled({ ...selection, id: 'id-9', isRange: false })]).toEqual([])
})
