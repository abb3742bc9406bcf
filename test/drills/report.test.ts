import { expect, test } from 'vitest'
import type { Drill, DrillResult } from './drill.ts'
import { formatTable, tableEnd, tableStart, updatePage } from './report.ts'

const drill = (fault: string): Drill => ({
  name: fault,
  fault,
  operator: 'nothing',
  seconds: 1,
  unharmed: [],
  inject: async () => undefined,
  repair: async () => undefined,
})
const all = ['a', 'b', 'c'].map(drill)
const result = (at: number, recoverySeconds: number, skipped?: string): DrillResult => ({
  drill: all[at]!,
  seen: { SDK: '200 throughout' },
  notReady: '',
  fired: [],
  recoverySeconds,
  findings: [],
  ...(skipped === undefined ? {} : { skipped }),
})
const pageOf = (results: readonly DrillResult[]) =>
  `Before.\n${tableStart}\n${formatTable(results)}\n${tableEnd}\nAfter.\n`

test('rows of drills that ran are replaced or added in their order, and the others stay', () => {
  const page = pageOf([result(0, 1), result(2, 3)])
  const updated = updatePage(page, [result(2, 9), result(1, 2), result(0, 7, 'no disk')], all)
  expect(updated).toBe(pageOf([result(0, 1), result(1, 2), result(2, 9)]))
})

test('the row of a drill that no longer exists goes', () => {
  expect(updatePage(pageOf([result(0, 1), result(1, 2)]), [], all.slice(1))).toBe(
    pageOf([result(1, 2)]),
  )
})

test('a page without the marks is refused', () => {
  expect(() => updatePage('Before.', [], all)).toThrow(tableStart)
})
