/** The triage queue in Postgres: issues in the queue, monitors with an open incident. */
import type { ProjectId } from '#schemas/ids.ts'
import type { TriageReason } from '#schemas/rest/issue.ts'
import type { TriageQuery } from '#schemas/rest/triage.ts'
import type { Database } from '../database.ts'
import { assignedTo } from '../issues/issue-store.ts'
import { inTriage, priority } from '../search/issue-columns.ts'

/** Incidents of one project that the queue looks at, the oldest. */
const incidentsMax = 1_000

export interface StoredIncident {
  /** Unlike that of any other incident or issue. */
  readonly id: string
  readonly slug: string
  readonly environment: string
  readonly kind: 'missed' | 'overrunning' | 'error'
  /** When it opened, with microseconds. */
  readonly position: string
  /** The monitor is muted or snoozed. */
  readonly is_hidden: boolean
}

const isoTime = (column: string) =>
  `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** Oldest first. */
export async function listIncidents(
  pg: Database,
  { projectId, now }: { projectId: ProjectId; now: Date },
): Promise<StoredIncident[]> {
  const { rows } = await pg.query<StoredIncident>(
    `select md5(monitors.id::text || environment)::uuid as id, slug, environment, incident_kind as kind,
       ${isoTime('incident_opened_at')} as position,
       muted or coalesce(snoozed_until > $2, false) as is_hidden
     from monitors join monitor_environments on monitor_id = monitors.id
     where project_id = $1 and incident_kind is not null and incident_opened_at is not null
     order by incident_opened_at, 1 limit ${incidentsMax}`,
    [projectId, now],
  )
  return rows
}

export interface IncidentIssue {
  readonly hash: string
  readonly id: string
  readonly in_triage: boolean
  /** Null while it is not resolved. */
  readonly resolved_at: Date | null
}

/** The issues that have these grouping hashes now. */
export async function findIncidentIssues(
  pg: Database,
  { projectId, hashes, now }: { projectId: ProjectId; hashes: readonly string[]; now: Date },
): Promise<IncidentIssue[]> {
  if (hashes.length === 0) return []
  const { rows } = await pg.query<IncidentIssue>(
    `select replace(hash::text, '-', '') as hash, i.id, ${inTriage('$3')} as in_triage,
       case when i.status = 'resolved' then i.resolved_at end as resolved_at
     from issue_hashes join issues i on i.id = issue_id
     where issue_hashes.project_id = $1 and hash = any($2::uuid[])`,
    [projectId, hashes, now],
  )
  return rows
}

type IssueFilter = Pick<TriageQuery, 'level' | 'priority' | 'assignee'>

export interface QueuedIssue {
  readonly id: string
  readonly reason: TriageReason
  /** When it entered, with microseconds. */
  readonly position: string
}

export interface QueuedLookup {
  readonly projectId: ProjectId
  readonly filter: IssueFilter & { readonly reason: TriageReason | undefined }
  /** Issues that are shown with their monitors. */
  readonly without: readonly string[]
  readonly after: readonly [position: string, id: string] | undefined
  readonly limit: number
  readonly now: Date
}

/** Oldest first. */
export async function listQueuedIssues(pg: Database, lookup: QueuedLookup): Promise<QueuedIssue[]> {
  const { projectId, filter, without, after, limit, now } = lookup
  const values: unknown[] = [projectId, now, without, limit]
  const bind = (value: unknown) => `$${values.push(value)}`
  const conditions = [
    'i.project_id = $1',
    inTriage('$2'),
    'i.id <> all($3::uuid[])',
    ...issueConditions(filter, bind),
  ]
  if (filter.reason !== undefined) conditions.push(`i.triage_reason = ${bind(filter.reason)}`)
  if (after !== undefined) {
    const [position, id] = after
    conditions.push(`(i.triage_at, i.id) > (${bind(position)}::timestamptz, ${bind(id)}::uuid)`)
  }
  const { rows } = await pg.query<QueuedIssue>(
    `select i.id, i.triage_reason as reason, ${isoTime('i.triage_at')} as position
     from issues i where ${conditions.join(' and ')} order by i.triage_at, i.id limit $4`,
    values,
  )
  return rows
}

/** Those of the issues that the filter lets through. */
export async function filterIssues(
  pg: Database,
  ids: readonly string[],
  filter: IssueFilter,
): Promise<Set<string>> {
  const values: unknown[] = [ids]
  const conditions = issueConditions(filter, (value) => `$${values.push(value)}`)
  if (conditions.length === 0 || ids.length === 0) return new Set(ids)
  const { rows } = await pg.query<{ id: string }>(
    `select i.id from issues i where i.id = any($1::uuid[]) and ${conditions.join(' and ')}`,
    values,
  )
  return new Set(rows.map(({ id }) => id))
}

function issueConditions(
  { level, priority: wanted, assignee }: IssueFilter,
  bind: (value: unknown) => string,
): string[] {
  return [
    ...(level === undefined ? [] : [`i.level = ${bind(level)}`]),
    ...(wanted === undefined ? [] : [`${priority} = ${bind(wanted)}`]),
    ...(assignee === undefined ? [] : [assignedTo(assignee, bind)]),
  ]
}
