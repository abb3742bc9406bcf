/**
 * Failing monitors in the triage queue. The failure of a monitor makes an issue, so the two are one
 * entry: it is in the queue while the incident is open, nobody muted or snoozed the monitor, and
 * nobody decided on the issue. An incident without an issue of its own is an entry, too.
 */
import type { ProjectId } from '#schemas/ids.ts'
import type { Database } from '../database.ts'
import { failureHash } from './failure-hash.ts'
import {
  findIncidentIssues,
  type IncidentIssue,
  listIncidents,
  type StoredIncident,
} from './triage-store.ts'

export interface FailingMonitor extends StoredIncident {
  /** Undefined when the failure has no issue in the queue. */
  readonly issueId: string | undefined
}

export interface FailingMonitors {
  /** Oldest first. */
  readonly entries: readonly FailingMonitor[]
  /** Issues of all failing monitors, which are no entries of their own. */
  readonly issueIds: readonly string[]
}

export async function readFailingMonitors(
  pg: Database,
  { projectId, now }: { projectId: ProjectId; now: Date },
): Promise<FailingMonitors> {
  const incidents = await listIncidents(pg, { projectId, now })
  const hashed = incidents.map((incident) => ({ incident, hash: failureHash(incident) }))
  const hashes = hashed.map(({ hash }) => hash)
  const found = await findIncidentIssues(pg, { projectId, hashes, now })
  const issues = new Map(found.map((issue) => [issue.hash, issue]))
  const entries: FailingMonitor[] = []
  const shown = new Set<string>()
  for (const { incident, hash } of hashed) {
    const issue = issues.get(hash)
    if (incident.is_hidden || !isOpen(incident, issue)) continue
    const issueId = issue?.in_triage === true ? issue.id : undefined
    // Issues of several monitors may be merged.
    if (issueId !== undefined && shown.has(issueId)) continue
    if (issueId !== undefined) shown.add(issueId)
    entries.push({ ...incident, issueId })
  }
  return { entries, issueIds: [...new Set(found.map(({ id }) => id))] }
}

/** The resolution of a former incident is no decision on this one. */
function isOpen({ position }: StoredIncident, issue: IncidentIssue | undefined): boolean {
  if (issue === undefined || issue.in_triage) return true
  return issue.resolved_at !== null && issue.resolved_at.getTime() < Date.parse(position)
}
