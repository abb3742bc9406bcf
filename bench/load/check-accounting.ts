/**
 * The reconciliation check after a load: rows in ClickHouse, counts of issues in Postgres and
 * accepted outcomes must agree.
 */
export interface IssueTally {
  /** The issue's count in Postgres. */
  readonly counted: number
  /** Events that its rows in ClickHouse represent. */
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
  /** One sentence for each disagreement; empty if everything agrees. */
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
  if (wrong > 0) faults.push(`${wrong} issues have a count that differs from their rows`)
  if (accounting.rowsWithoutIssue > 0)
    faults.push(`${accounting.rowsWithoutIssue} rows have no issue`)
  if (accounting.accepted !== rows) {
    faults.push(`${accounting.accepted} outcomes are accepted, and there are ${rows} rows`)
  }
  if (accounting.issues.length !== issueCountWanted) {
    faults.push(`${accounting.issues.length} issues, and the workload has ${issueCountWanted}`)
  }
  return { rows, issueCount: accounting.issues.length, accepted: accounting.accepted, faults }
}
