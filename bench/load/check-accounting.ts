/**
 * The books after a load: rows in ClickHouse, counts on issues in Postgres and accepted outcomes
 * agree.
 */
export interface IssueTally {
  /** As Postgres counts it. */
  readonly counted: number
  /** Events that its rows in ClickHouse count for. */
  readonly rows: number
}

export interface StoredAccounting {
  readonly issues: readonly IssueTally[]
  readonly rowsWithoutIssue: number
  /** Sum of accepted outcomes. */
  readonly accepted: number
}

export interface AccountingCheck {
  readonly rows: number
  readonly issueCount: number
  readonly accepted: number
  /** One sentence for each disagreement; empty when the books are right. */
  readonly faults: readonly string[]
}

export function checkAccounting(
  accounting: StoredAccounting,
  issueCountWanted: number,
): AccountingCheck {
  const faults: string[] = []
  const rows = accounting.issues.reduce(
    (sum, issue) => sum + issue.rows,
    accounting.rowsWithoutIssue,
  )
  const wrong = accounting.issues.filter((issue) => issue.counted !== issue.rows).length
  if (wrong > 0) faults.push(`${wrong} issues count another number of events than there are rows`)
  if (accounting.rowsWithoutIssue > 0)
    faults.push(`${accounting.rowsWithoutIssue} rows have no issue`)
  if (accounting.accepted !== rows) {
    faults.push(`${accounting.accepted} outcomes say accepted, there are ${rows} rows`)
  }
  if (accounting.issues.length !== issueCountWanted) {
    faults.push(`${accounting.issues.length} issues, the workload has ${issueCountWanted}`)
  }
  return { rows, issueCount: accounting.issues.length, accepted: accounting.accepted, faults }
}
