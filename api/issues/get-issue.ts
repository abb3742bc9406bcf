/** One issue with its grouping, daily series, tags, merged issues and activity. */
import { z } from 'zod'
import { undashed } from '#schemas/ids.ts'
import type { IssueDetail, IssueItem } from '#schemas/rest/issue.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { readIssueFacts } from './facts/issue-facts.ts'
import { listActivity, listHashes, type StoredHash } from './issue-history-store.ts'
import { readIssueStats } from './issue-stats.ts'
import { findIssue, type StoredIssue } from './issue-store.ts'
import { issueItem } from './issue-view.ts'
import { linkView } from './marks/link-view.ts'
import { bookmarkedIssues, listLinks } from './marks/mark-store.ts'
import { listMergedIssues } from './merge-store.ts'
import { listSuspectCommits } from './suspects/list-suspect-commits.ts'

/** @param personId whose bookmark is shown. */
export async function getIssue(
  project: StoredProject,
  issueId: string,
  ctx: ApiContext,
  personId?: string,
): Promise<IssueDetail | undefined> {
  const projectId = project.dsnId
  const issue = await findIssue(ctx.pg, { projectId, id: issueId })
  if (issue === undefined) return undefined
  const nowMs = ctx.clock.nowMs()
  const [hashes, merged, activity, links, bookmarked, facts, suspects] = await Promise.all([
    listHashes(ctx.pg, issueId),
    listMergedIssues(ctx.pg, issueId),
    listActivity(ctx.pg, issueId),
    listLinks(ctx.pg, issueId),
    bookmarkedIssues(ctx.pg, { issueIds: [issueId], personId }),
    readIssueFacts(ctx.clickhouse, { projectId, issue, nowMs }),
    listSuspectCommits(project, issue, ctx),
  ])
  const { ownTags, derivedTags } = facts
  return {
    ...issueItem(issue, facts.stats, project.shortName),
    bookmarked: bookmarked.has(issueId),
    links: links.map(linkView),
    grouping: groupingOf(hashes),
    series_30d: facts.daily,
    // A tag that clients set themselves wins.
    tags: { ...ownTags, ...derivedTags, ...ownTags },
    derived_tags: Object.keys(derivedTags).filter((name) => !Object.hasOwn(ownTags, name)),
    merged_issues: merged.map(({ id, short_no, title }) => ({
      id,
      short_id: `${project.shortName}-${short_no}`,
      title,
    })),
    suspect_commits: suspects,
    activity: activity.map(({ at, ...entry }) => ({ ...entry, at: at.toISOString() })),
  }
}

type ItemContext = Pick<ApiContext, 'pg' | 'clickhouse' | 'clock'>

/** Throws `not_found` when the project has no such issue. */
export async function readIssueItem(
  ctx: ItemContext,
  project: StoredProject,
  issueId: string,
): Promise<IssueItem> {
  const issue = found(await findIssue(ctx.pg, { projectId: project.dsnId, id: issueId }))
  return itemOf(project, issue, ctx)
}

async function itemOf(
  project: StoredProject,
  issue: StoredIssue,
  ctx: ItemContext,
): Promise<IssueItem> {
  const statsOf = await readIssueStats(ctx.clickhouse, {
    projectId: project.dsnId,
    issues: [issue],
    nowMs: ctx.clock.nowMs(),
  })
  return issueItem(issue, statsOf(issue.id), project.shortName)
}

/** The parts of the stored explanation that the API reads. The rest is passed through. */
const Explanation = z.looseObject({
  algorithm: z.string(),
  path: z.string(),
  summary: z.string(),
  variants: z.array(z.looseObject({ hash: z.string() })).default([]),
  replaced: z.array(z.object({ kind: z.string(), count: z.int() })).default([]),
})

/**
 * An event may have several hashes. The explanation of the first hash of the first event is shown.
 */
export function groupingOf(hashes: readonly StoredHash[]): IssueDetail['grouping'] {
  const explained = hashes.map((row) => {
    const parsed = Explanation.safeParse(row.explanation)
    return { ...row, explanation: parsed.success ? parsed.data : undefined }
  })
  const primary =
    explained.find(({ hash, explanation }) => explanation?.variants[0]?.hash === undashed(hash)) ??
    explained.find(({ explanation }) => explanation !== undefined)
  return {
    version: primary?.explanation?.algorithm ?? 'unknown',
    explanation: primary?.explanation ?? null,
    variables: primary?.explanation?.replaced ?? [],
    hashes: explained.map(({ hash, explanation, created_at, last_seen, count, came_from }) => ({
      hash: undashed(hash),
      summary: explanation?.summary ?? '',
      first_seen: created_at.toISOString(),
      last_seen: last_seen === null ? null : last_seen.toISOString(),
      count,
      came_from,
    })),
  }
}
