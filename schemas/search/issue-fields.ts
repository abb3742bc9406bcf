/**
 * The fields of issues in Postgres; field-aliases.ts has their other names. All other fields are
 * properties of events.
 */
import { canonicalField } from './field-aliases.ts'

export const issueFieldNames = [
  'is',
  'assigned',
  'bookmarks',
  'level',
  'priority',
  'title',
  'culprit',
  'platform',
  'first_release',
  'last_release',
  'times_seen',
  'users_seen',
  'first_seen',
  'last_seen',
  'issue',
] as const
export type IssueField = (typeof issueFieldNames)[number]

const names: ReadonlySet<string> = new Set(issueFieldNames)

/** Undefined for a field of events, and for a tag. */
export function issueFieldOf(name: string): IssueField | undefined {
  const field = canonicalField(name)
  return names.has(field) ? (field as IssueField) : undefined
}
