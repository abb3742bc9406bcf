/** Replies in the form that clients of Sentry read. */
import type { Commit } from '#schemas/rest/releases/commit.ts'
import type { Deploy } from '#schemas/rest/releases/deploy.ts'
import type { CompatRelease } from './compat-release-store.ts'

/** @param rows of one version, one for each project. */
export function releaseView(rows: readonly CompatRelease[]) {
  const row = rows[0]!
  const isHeard = row.event_count > 0
  const last = row.commits[0]
  return {
    id: Number(row.project_id),
    version: row.version,
    shortVersion: row.version,
    status: 'open',
    url: row.url,
    dateCreated: row.created_at.toISOString(),
    dateReleased: row.released_at?.toISOString() ?? null,
    firstEvent: isHeard ? (row.first_event_at?.toISOString() ?? null) : null,
    lastEvent: isHeard ? (row.last_event_at?.toISOString() ?? null) : null,
    newGroups: rows.reduce((sum, { new_issue_count: count }) => sum + count, 0),
    commitCount: row.commits.length,
    lastCommit: last === undefined ? null : { id: last },
    authors: [],
    projects: rows.map(({ project_id: id, slug_name: name }) => ({
      id: Number(id),
      slug: name,
      name,
    })),
  }
}

export function commitView(commit: Commit) {
  return {
    id: commit.id,
    message: commit.subject,
    dateCreated: commit.timestamp,
    author: { name: commit.author_name, email: commit.author_email },
    repository: commit.repository === null ? null : { name: commit.repository },
  }
}

export function deployView(deploy: Deploy) {
  return {
    id: deploy.id,
    environment: deploy.environment,
    name: deploy.name,
    url: deploy.url,
    dateStarted: deploy.started_at,
    dateFinished: deploy.finished_at,
  }
}
