import { CodedError } from '#schemas/error-codes.ts'
import {
  type ComparedIssue,
  comparedIssuesMax,
  type ReleaseComparison,
  type ReleaseComparisonQuery,
  type ReleaseItem,
} from '#schemas/rest/release.ts'
import type { ApiContext } from '../../context.ts'
import { found } from '../../http/route.ts'
import { invalidField } from '../../http/validation/invalid-field.ts'
import { findIssues, findOwners, type StoredIssue } from '../../issues/issue-store.ts'
import type { StoredProject } from '../../projects/project-store.ts'
import { findRelease } from '../release-store.ts'
import { describeReleases, periodOf } from '../report-releases.ts'
import { type Compared, compareCounts, type IssueCounts } from './compare-counts.ts'
import { comparedHashesMax, countEvents, type HashCounts } from './event-count-store.ts'

const defaultMs = 30 * 24 * 3_600_000
const hourSeconds = 3_600

/** Throws `not_found` for an unknown head, and names `base` if that is unknown. */
export async function compareReleases(
  project: StoredProject,
  { head: headVersion, query }: { head: string; query: ReleaseComparisonQuery },
  ctx: ApiContext,
): Promise<ReleaseComparison> {
  const projectId = project.dsnId
  // Postgres stores no NUL in a text, so no release has one.
  if (headVersion.includes('\0')) throw new CodedError('not_found')
  const head = found(await findRelease(ctx.pg, { projectId, version: headVersion }))
  const base = await findRelease(ctx.pg, { projectId, version: query.base })
  if (base === undefined) throw invalidField('base', 'must be a release of this project')
  const period = periodOf(query, ctx.clock.nowMs(), defaultMs)
  const { environment } = query
  const names = { base: base.version, head: head.version }
  const [items, hashes] = await Promise.all([
    describeReleases(project, [base, head], { environment, ...instantsOf(period) }, ctx),
    countEvents(ctx.clickhouse, { projectId, environment, ...names, ...period }),
  ])
  const compared = hashes.slice(0, comparedHashesMax)
  const issues = await countByIssue(ctx, projectId, compared)
  const [ofBase, ofHead] = [items[0]!, items[1]!]
  const { scale, ...scales } = scalesOf(ofBase, ofHead, compared)
  const { newIssues, absentIssues, moreFrequent } = compareCounts(issues, scales)
  const lists = [newIssues, absentIssues, moreFrequent]
  const shown = lists.flatMap((list) => list.slice(0, comparedIssuesMax))
  const stored = await findIssues(ctx.pg, { projectId, ids: shown.map(({ issueId }) => issueId) })
  const byId = new Map(stored.map((issue) => [issue.id, issue]))
  const view = (list: readonly Compared[]) => ({
    count: list.length,
    items: list.slice(0, comparedIssuesMax).flatMap((one) => viewOf(one, byId, project.shortName)),
  })
  return {
    base: sideOf(ofBase, issues, 'base'),
    head: sideOf(ofHead, issues, 'head'),
    scale,
    new_issues: view(newIssues),
    absent_issues: view(absentIssues),
    more_frequent: view(moreFrequent),
    crash_free_sessions_difference: difference(ofBase, ofHead, 'crash_free_sessions'),
    crash_free_users_difference: difference(ofBase, ofHead, 'crash_free_users'),
    truncated: hashes.length > comparedHashesMax,
  }
}

function instantsOf({ sinceMs, untilMs }: { sinceMs: number; untilMs: number }) {
  return { since: new Date(sinceMs).toISOString(), until: new Date(untilMs).toISOString() }
}

/** Events whose issue was deleted belong to none and are left out. */
async function countByIssue(
  { pg }: Pick<ApiContext, 'pg'>,
  projectId: StoredProject['dsnId'],
  hashes: readonly HashCounts[],
): Promise<IssueCounts[]> {
  const owners = await findOwners(pg, { projectId, hashes: hashes.map(({ hash }) => hash) })
  const counts = new Map<string, IssueCounts>()
  for (const { hash, base, head } of hashes) {
    const issueId = owners.get(hash)
    if (issueId === undefined) continue
    const known = counts.get(issueId)
    counts.set(issueId, {
      issueId,
      base: base + (known?.base ?? 0),
      head: head + (known?.head ?? 0),
    })
  }
  return [...counts.values()]
}

/** A release that few people use yet has few events of each issue. */
function scalesOf(base: ReleaseItem, head: ReleaseItem, hashes: readonly HashCounts[]) {
  const sessions = { base: base.health.sessions, head: head.health.sessions }
  if (sessions.base > 0 && sessions.head > 0) return { scale: 'sessions', ...sessions } as const
  const hours = (side: 'base' | 'head') => {
    const seen = hashes.filter((hash) => hash[side] > 0)
    const first = seen.reduce((least, hash) => Math.min(least, hash[`${side}_first`]), Infinity)
    const last = seen.reduce((most, hash) => Math.max(most, hash[`${side}_last`]), 0)
    return Math.max(1, seen.length === 0 ? 0 : (last - first) / hourSeconds)
  }
  return { scale: 'hours', base: hours('base'), head: hours('head') } as const
}

function sideOf(
  { version, health }: ReleaseItem,
  issues: readonly IssueCounts[],
  side: 'base' | 'head',
) {
  const counts = issues.map((issue) => issue[side])
  return {
    version,
    events: counts.reduce((sum, count) => sum + count, 0),
    issues: counts.filter((count) => count > 0).length,
    health,
  }
}

/** An issue that was merged or deleted a moment ago is left out. */
function viewOf(
  { issueId, base, head, factor }: Compared,
  byId: ReadonlyMap<string, StoredIssue>,
  shortName: string,
): ComparedIssue[] {
  const issue = byId.get(issueId)
  if (issue === undefined) return []
  const { id, short_no, title, culprit, level, status } = issue
  return [
    {
      id,
      short_id: `${shortName}-${short_no}`,
      title,
      culprit,
      level,
      status,
      base_events: base,
      head_events: head,
      factor: factor === null ? null : Math.round(factor * 100) / 100,
    },
  ]
}

function difference(
  base: ReleaseItem,
  head: ReleaseItem,
  rate: 'crash_free_sessions' | 'crash_free_users',
): number | null {
  const [before, after] = [base.health[rate], head.health[rate]]
  return before === null || after === null ? null : Math.round((after - before) * 1e6) / 1e6
}
