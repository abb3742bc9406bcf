/** What the brief and the page of an issue show: the issue, its newest event, similar issues. */
import type { EventDetail } from '#schemas/rest/event.ts'
import type { IssueDetail } from '#schemas/rest/issue.ts'
import type { SimilarIssue } from '#schemas/rest/issue-insights.ts'
import type { ApiContext } from '../context.ts'
import { getIssue } from '../issues/get-issue.ts'
import { getIssueEvent } from '../issues/insights/get-issue-event.ts'
import { listSimilarIssues } from '../issues/insights/list-similar-issues.ts'
import { findIssue } from '../issues/issue-store.ts'
import type { StoredProject } from '../projects/project-store.ts'

export interface IssueParts {
  readonly issue: IssueDetail
  /** The newest stored event; undefined if none is stored any more. */
  readonly event: EventDetail | undefined
  readonly similar: readonly SimilarIssue[]
}

/** Undefined if the project has no such issue, or if it was merged into another one. */
export async function readIssueParts(
  ctx: ApiContext,
  project: StoredProject,
  issueId: string,
): Promise<IssueParts | undefined> {
  const issue = await getIssue(project, issueId, ctx)
  if (issue === undefined) return undefined
  const event = await findLatestEvent(ctx, project, issueId)
  const similar = await listSimilarIssues(ctx, project, issue)
  return { issue, event, similar }
}

async function findLatestEvent(
  ctx: ApiContext,
  project: StoredProject,
  issueId: string,
): Promise<EventDetail | undefined> {
  const issue = await findIssue(ctx.pg, { projectId: project.dsnId, id: issueId })
  return issue && getIssueEvent(ctx, project, { issue, place: 'latest' })
}
