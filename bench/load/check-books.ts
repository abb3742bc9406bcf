/** The books after a load: rows in ClickHouse, counts on issues in Postgres and accepted outcomes agree. */
export interface IssueTally {
  /** As Postgres counts it. */
  readonly counted: number
  /** Events that its rows in ClickHouse count for. */
  readonly rows: number
}

export interface StoredBooks {
  readonly issues: readonly IssueTally[]
  readonly rowsWithoutIssue: number
  /** Sum of accepted outcomes. */
  readonly accepted: number
}

export interface BooksCheck {
  readonly rows: number
  readonly issueCount: number
  readonly accepted: number
  /** One sentence for each disagreement; empty when the books are right. */
  readonly faults: readonly string[]
}

export function checkBooks(books: StoredBooks, issueCountWanted: number): BooksCheck {
  const faults: string[] = []
  const rows = books.issues.reduce((sum, issue) => sum + issue.rows, books.rowsWithoutIssue)
  const wrong = books.issues.filter((issue) => issue.counted !== issue.rows).length
  if (wrong > 0) faults.push(`${wrong} issues count another number of events than there are rows`)
  if (books.rowsWithoutIssue > 0) faults.push(`${books.rowsWithoutIssue} rows have no issue`)
  if (books.accepted !== rows) {
    faults.push(`${books.accepted} outcomes say accepted, there are ${rows} rows`)
  }
  if (books.issues.length !== issueCountWanted) {
    faults.push(`${books.issues.length} issues, the workload has ${issueCountWanted}`)
  }
  return { rows, issueCount: books.issues.length, accepted: books.accepted, faults }
}
