/**
 * Deletes issues that have no events any more and that nobody has touched, as the policy says
 * (schemas/retention/issue-policies.ts). May stop anywhere, run twice or run concurrently.
 */
import type { ProjectId } from '#schemas/ids.ts'
import type { ExpiredIssue, IssuePage } from './issue-expiry-store.ts'
import type { SweepPosition, SweptPage } from './sweep-position-store.ts'

export interface ExpireIssues {
  readonly examine: (after: SweepPosition | undefined, rowsMax: number) => Promise<IssuePage>
  /** Those of the issues of which no event is stored. */
  readonly withoutEvents: (
    projectId: ProjectId,
    issueIds: readonly string[],
  ) => Promise<readonly string[]>
  /** Checks again under locks. Returns how many were deleted. */
  readonly deleteIssues: (projectId: ProjectId, issueIds: readonly string[]) => Promise<number>
  readonly signal: AbortSignal
}

/** Bounds the time for which a transaction holds the locks of its issues. */
const issuesPerTransaction = 50

export async function expireIssuePage(
  ctx: ExpireIssues,
  after: SweepPosition | undefined,
  rowsMax: number,
): Promise<SweptPage> {
  const { examined, expired, last } = await ctx.examine(after, rowsMax)
  let deleted = 0
  for (const [projectId, issueIds] of byProject(expired)) {
    for (let start = 0; start < issueIds.length; start += issuesPerTransaction) {
      if (ctx.signal.aborted) return { examined, expired: deleted, last }
      const some = issueIds.slice(start, start + issuesPerTransaction)
      const empty = await ctx.withoutEvents(projectId, some)
      if (empty.length > 0) deleted += await ctx.deleteIssues(projectId, empty)
    }
  }
  return { examined, expired: deleted, last }
}

function byProject(issues: readonly ExpiredIssue[]): Map<ProjectId, string[]> {
  const groups = new Map<ProjectId, string[]>()
  for (const { id, projectId } of issues) {
    groups.set(projectId, [...(groups.get(projectId) ?? []), id])
  }
  return groups
}
