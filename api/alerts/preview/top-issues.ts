import type { AlertPreview } from '#schemas/rest/alerts/alert.ts'
import { findIssues } from '../../issues/issue-store.ts'
import type { RulesOfProject } from '../alert-view.ts'
import type { Firing } from './count-firings.ts'
import type { PreviewContext } from './preview-scope.ts'

const issuesMax = 5

/**
 * The issues with the most firings, most first, and newest first among equals. One that was merged
 * or deleted is left out.
 *
 * @param firings oldest first.
 */
export async function topIssues(
  pg: PreviewContext['pg'],
  { dsnId, shortName }: RulesOfProject['project'],
  firings: readonly Firing[],
): Promise<AlertPreview['issues']> {
  const counts = countByIssue(firings.toReversed())
  const ids = [...counts.keys()].toSorted((a, b) => counts.get(b)! - counts.get(a)!)
  const shown = ids.slice(0, issuesMax)
  const issues = await findIssues(pg, { projectId: dsnId, ids: shown })
  return issues
    .toSorted((a, b) => shown.indexOf(a.id) - shown.indexOf(b.id))
    .map(({ id, short_no, title }) => ({
      id,
      short_id: `${shortName}-${short_no}`,
      title,
      firing_count: counts.get(id)!,
    }))
}

function countByIssue(firings: readonly Firing[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { issueId } of firings) counts.set(issueId, (counts.get(issueId) ?? 0) + 1)
  return counts
}
