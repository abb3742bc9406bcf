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

describe('the books', () => {
  test('agree when rows, counts and outcomes do', () => {
    expect(checkAccounting(right, 2)).toEqual({ rows: 5, issueCount: 2, accepted: 5, faults: [] })
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['an issue that counts one too many', { ...right, issues: [{ counted: 4, rows: 3 }, { counted: 2, rows: 2 }] }, '1 issues count'],
    ['two errors that cancel out       ', { ...right, issues: [{ counted: 2, rows: 3 }, { counted: 3, rows: 2 }] }, '2 issues count'],
    ['a row without an issue           ', { ...right, rowsWithoutIssue: 1, accepted: 6 }, '1 rows have no issue'],
    ['an outcome too few               ', { ...right, accepted: 4 }, '4 outcomes say accepted'],
    ['an issue too many                ', { ...right, issues: [...right.issues, { counted: 0, rows: 0 }] }, '3 issues'],
  ])('%s is a fault', (_name, accounting, fault) => {
    const { faults } = checkAccounting(accounting, 2)
    expect(faults).toHaveLength(1)
    expect(faults[0]).toContain(fault)
  })
})
