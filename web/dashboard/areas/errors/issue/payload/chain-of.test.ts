import { expect, test } from 'vitest'
import { chainOf } from './chain-of.ts'
import { sampleException } from './sample-frame.ts'

function chain(...given: readonly (readonly [type: string, mechanism: object])[]) {
  const exceptions = given.map(([type, mechanism]) =>
    sampleException({ type, mechanism: mechanism as Readonly<Record<string, unknown>> }),
  )
  return chainOf(exceptions).map(
    ({ exception, relation, depth }) => `${exception.type} ${relation} ${depth}`,
  )
}

test('what reached the handler is first, its causes follow', () => {
  const links = chain(['Root', {}], ['Middle', {}], ['Top', {}])
  expect(links).toEqual(['Top first 0', 'Middle cause 0', 'Root cause 0'])
})

test('parts of a group are one level deeper, their causes beside them', () => {
  expect(
    chain(
      ['Cause', { exception_id: 3, parent_id: 2, source: 'cause' }],
      ['Second', { exception_id: 2, parent_id: 0, source: 'errors[1]' }],
      ['First', { exception_id: 1, parent_id: 0, source: 'errors[0]' }],
      ['Group', { exception_id: 0, is_exception_group: true }],
    ),
  ).toEqual(['Group first 0', 'First part 1', 'Second part 1', 'Cause cause 1'])
})

test('what Python was handling is no cause', () => {
  const context = { exception_id: 1, parent_id: 0, source: '__context__' }
  expect(chain(['KeyError', context], ['ValueError', { exception_id: 0 }])).toEqual([
    'ValueError first 0',
    'KeyError context 0',
  ])
})

// biome-ignore format: one case a line
test.each([
  ['its own parent',    [['A', { exception_id: 0, parent_id: 0, is_exception_group: true }], ['B', {}]]],
  ['a circle',          [['A', { exception_id: 0, parent_id: 1, is_exception_group: true }], ['B', { exception_id: 1, parent_id: 0, is_exception_group: true }]]],
  ['ids of wrong types', [['A', { exception_id: '0', parent_id: {} }], ['B', { parent_id: Number.NaN }]]],
] as const)('ends with %s', (_, exceptions) => {
  expect(chain(...exceptions)).toHaveLength(2)
})

test('an event without exceptions has no chain', () => {
  expect(chainOf([])).toEqual([])
})
