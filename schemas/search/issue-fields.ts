/**
 * The fields of issues in Postgres, with their aliases. All other fields are properties of events.
 */
export const issueFieldNames = [
  'is',
  'assigned',
  'assignee',
  'level',
  'title',
  'culprit',
  'platform',
  'first_release',
  'firstRelease',
  'last_release',
  'times_seen',
  'timesSeen',
  'first_seen',
  'firstSeen',
  'age',
  'last_seen',
  'lastSeen',
  'issue',
] as const
export type IssueField = (typeof issueFieldNames)[number]

const names: ReadonlySet<string> = new Set(issueFieldNames)

export function isIssueField(name: string): name is IssueField {
  return names.has(name)
}
