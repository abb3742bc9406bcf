/** An issue as the API shows it, from its row in Postgres and its statistics from ClickHouse. */
import type { IssueItem, Priority } from '#schemas/rest/issue.ts'
import type { IssueStats } from './issue-stats.ts'
import { hasUnlistedHashes, type StoredIssue } from './issue-store.ts'

export function issueItem(issue: StoredIssue, stats: IssueStats, shortName: string): IssueItem {
  return {
    id: issue.id,
    short_id: `${shortName}-${issue.short_no}`,
    title: issue.title,
    culprit: issue.culprit,
    level: issue.level,
    platform: issue.platform,
    status: issue.status,
    substatus: issue.substatus,
    assignee: issue.assignee_id === null ? null : assigneeOf(issue, issue.assignee_id),
    assignee_team: issue.team,
    priority: issue.priority ?? priorityOf(issue.level),
    resolution: resolutionOf(issue),
    ignore_until: ignoreUntilOf(issue),
    escalation: issue.escalation,
    triage: triageOf(issue),
    count: issue.count,
    sampled_count: issue.sampled_count,
    events_expired: issue.count > 0 && !stats.hasEvents && !hasUnlistedHashes(issue),
    user_count: stats.userCount,
    first_seen: issue.first_seen.toISOString(),
    last_seen: issue.last_seen.toISOString(),
    first_release: issue.first_release || null,
    last_release: issue.last_release || null,
    components: [...stats.components],
    environments: [...stats.environments],
    series_24h: stats.series24h,
  }
}

function assigneeOf(issue: StoredIssue, id: string) {
  return { id, name: issue.assignee_name, email: issue.assignee_email ?? '' }
}

function priorityOf(level: string): Priority {
  if (level === 'fatal' || level === 'error') return 'high'
  return level === 'warning' ? 'medium' : 'low'
}

function resolutionOf(issue: StoredIssue): IssueItem['resolution'] {
  if (issue.status !== 'resolved' || issue.resolved_at === null) return null
  return {
    // Null in rows of earlier versions.
    in: issue.resolved_in ?? 'now',
    release: issue.resolved_release,
    commit: issue.resolved_commit,
    at: issue.resolved_at.toISOString(),
  }
}

function ignoreUntilOf(issue: StoredIssue): IssueItem['ignore_until'] {
  const until = {
    at: issue.ignored_until?.toISOString() ?? null,
    events: issue.ignored_until_count,
    users: issue.ignored_until_users,
    escalating: issue.ignored_until_escalating,
  }
  const { at, events, users, escalating } = until
  const isForever = at === null && events === null && users === null && !escalating
  return issue.status !== 'ignored' || isForever ? null : until
}

function triageOf({ status, triage_at, triage_reason, snoozed_until }: StoredIssue) {
  if (status !== 'unresolved' || triage_at === null || triage_reason === null) return null
  return {
    reason: triage_reason,
    since: triage_at.toISOString(),
    snoozed_until: snoozed_until?.toISOString() ?? null,
  }
}
