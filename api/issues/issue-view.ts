/** An issue as the API shows it, from its row in Postgres and its statistics from ClickHouse. */
import type { IssueItem } from '#schemas/rest/issue.ts'
import { hashesPerIssueMax } from '#schemas/rest/issue-merge.ts'
import type { IssueStats } from './issue-stats.ts'
import type { StoredIssue } from './issue-store.ts'

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
    count: issue.count,
    sampled_count: issue.sampled_count,
    // Only so many hashes are looked at: with more of them, another one may still have events.
    events_expired: issue.count > 0 && !stats.hasEvents && issue.hashes.length < hashesPerIssueMax,
    user_count: stats.userCount,
    first_seen: issue.first_seen.toISOString(),
    last_seen: issue.last_seen.toISOString(),
    first_release: issue.first_release || null,
    last_release: issue.last_release || null,
    components: stats.components,
    environments: stats.environments,
    series_24h: stats.series24h,
  }
}

function assigneeOf(issue: StoredIssue, id: string) {
  return { id, name: issue.assignee_name, email: issue.assignee_email ?? '' }
}
