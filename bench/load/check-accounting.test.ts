import { describe, expect, test } from 'vitest'
import { checkAccounting } from './check-accounting.ts'

const right = {
  issues: [
    { counted: 3, rows: 3 },
    { counted: 2, rows: 2 },
  ],
  rowsWithoutIssue: 0,
  accepted: 5,
}

describe('the reconciliation check', () => {
  test('finds no fault when rows, counts and outcomes agree', () => {
    expect(checkAccounting(right, 2)).toEqual({ rows: 5, issueCount: 2, accepted: 5, faults: [] })
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['an issue with a count too high ', { ...right, issues: [{ counted: 4, rows: 3 }, { counted: 2, rows: 2 }] }, '1 issues have a count'],
    ['two faults that cancel out      ', { ...right, issues: [{ counted: 2, rows: 3 }, { counted: 3, rows: 2 }] }, '2 issues have a count'],
    ['a row without an issue          ', { ...right, rowsWithoutIssue: 1, accepted: 6 }, '1 rows have no issue'],
    ['a missing outcome              ', { ...right, accepted: 4 }, '4 outcomes are accepted'],
    ['an additional issue            ', { ...right, issues: [...right.issues, { counted: 0, rows: 0 }] }, '3 issues'],
  ])('reports %s', (_name, accounting, fault) => {
    const { faults } = checkAccounting(accounting, 2)
    expect(faults).toHaveLength(1)
    expect(faults[0]).toContain(fault)
  })
})
