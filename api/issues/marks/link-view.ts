import type { IssueLink } from '#schemas/rest/issues/issue-link.ts'
import type { StoredLink } from './mark-store.ts'

export function linkView({ id, url, title, created_at }: StoredLink): IssueLink {
  return { id, url, title, created_at: created_at.toISOString() }
}
