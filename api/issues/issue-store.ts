/** Issues in Postgres: their state and exact counters. */
import type { ProjectId } from '#schemas/ids.ts'
import type {
  IssueItem,
  IssueListQuery,
  IssueStatus,
  Priority,
  Resolution,
  Substatus,
  TriageReason,
} from '#schemas/rest/issue.ts'
import { hashesPerIssueMax } from '#schemas/rest/issue-merge.ts'
import type { Database } from '../database.ts'
import { assignedToTeam, priority, substatus, unassigned } from '../search/issue-columns.ts'
import type { IssueSearch } from '../search/issue-search.ts'

export interface StoredIssue {
  readonly id: string
  readonly short_no: number
  readonly title: string
  readonly culprit: string
  readonly level: string
  readonly platform: string
  readonly status: IssueStatus
  readonly substatus: Substatus | null
  readonly assignee_id: string | null
  readonly assignee_name: string | null
  readonly assignee_email: string | null
  readonly team: { id: string; slug: string; name: string } | null
  readonly priority: Priority | null
  readonly resolved_at: Date | null
  readonly resolved_in: Resolution | null
  readonly resolved_release: string | null
  readonly resolved_commit: string | null
  readonly ignored_until: Date | null
  readonly ignored_until_count: number | null
  readonly ignored_until_users: number | null
  readonly ignored_until_escalating: boolean
  readonly escalation: IssueItem['escalation']
  readonly triage_at: Date | null
  readonly triage_reason: TriageReason | null
  readonly snoozed_until: Date | null
  readonly count: number
  readonly sampled_count: number
  readonly first_seen: Date
  readonly last_seen: Date
  readonly first_release: string | null
  readonly last_release: string | null
  readonly hashes: string[]
  /** The sort value with microseconds, for cursors. */
  readonly position: string | number
}

export type StoredSort = 'last_seen' | 'first_seen' | 'count'

export interface IssueFilter
  extends Pick<
    IssueListQuery,
    'status' | 'substatus' | 'level' | 'assignee' | 'priority' | 'since' | 'until'
  > {
  readonly search: IssueSearch | undefined
  /** Only issues that own one of these hashes. */
  readonly fingerprints: readonly string[] | undefined
}

const teamPrefix = 'team:'

const sortPositions = {
  last_seen: `to_char(i.last_seen at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
  first_seen: `to_char(i.first_seen at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
  count: 'i.count',
} as const satisfies Record<StoredSort, string>

const positionTypes = { last_seen: 'timestamptz', first_seen: 'timestamptz', count: 'bigint' }

function issueColumns(sort: StoredSort): string {
  return `i.id, i.short_no, i.title, i.culprit, i.level, i.platform, i.status, ${substatus} as substatus, i.count,
    i.sampled_count, i.first_seen, i.last_seen, i.first_release, i.last_release,
    i.priority, i.resolved_at, i.resolved_in, i.resolved_release, i.resolved_commit, i.ignored_until,
    i.ignored_until_count, i.ignored_until_users, i.ignored_until_escalating, i.triage_at,
    i.triage_reason, i.snoozed_until, case when i.escalated_at is not null then i.escalation end as escalation,
    (select jsonb_build_object('id', id, 'slug', slug, 'name', name) from teams where id = i.assignee_team) as team,
    person.id as assignee_id, person.name as assignee_name, person.email as assignee_email,
    array(
      select hash::text from issue_hashes left join hash_sums using (project_id, hash)
      where issue_id = i.id order by coalesce(hash_sums.count, 0) desc, created_at, hash
      limit ${hashesPerIssueMax}
    ) as hashes,
    ${sortPositions[sort]} as position`
}

export async function listIssues(
  pg: Database,
  list: {
    projectId: ProjectId
    filter: IssueFilter
    sort: StoredSort
    after: readonly [position: string | number, id: string] | undefined
    limit: number
  },
): Promise<StoredIssue[]> {
  const values: unknown[] = [list.projectId]
  const bind = (value: unknown) => `$${values.push(value)}`
  const conditions = [
    'i.project_id = $1',
    'i.merged_into is null',
    ...filterConditions(list.filter, bind),
  ]
  if (list.after !== undefined) {
    const position = `${bind(list.after[0])}::${positionTypes[list.sort]}`
    conditions.push(`(i.${list.sort}, i.id) < (${position}, ${bind(list.after[1])}::uuid)`)
  }
  const { rows } = await pg.query<StoredIssue>(
    `select ${issueColumns(list.sort)}
     from issues i left join people person on person.id = i.assignee
     where ${conditions.join(' and ')}
     order by i.${list.sort} desc, i.id desc limit ${bind(list.limit)}`,
    values,
  )
  return rows
}

/** Whether an issue may own more hashes than it is read with: an event may have another one. */
export function hasUnlistedHashes({ hashes }: Pick<StoredIssue, 'hashes'>): boolean {
  return hashes.length >= hashesPerIssueMax
}

/** Ids of the issues that match, the most recently seen first. */
export async function listIssueIds(
  pg: Database,
  list: { projectId: ProjectId; filter: IssueFilter; limit: number },
): Promise<string[]> {
  const values: unknown[] = [list.projectId]
  const bind = (value: unknown) => `$${values.push(value)}`
  const conditions = filterConditions(list.filter, bind).map((condition) => `and ${condition}`)
  const { rows } = await pg.query<{ id: string }>(
    `select i.id from issues i
     where i.project_id = $1 and i.merged_into is null ${conditions.join(' ')}
     order by i.last_seen desc, i.id desc limit ${bind(list.limit)}`,
    values,
  )
  return rows.map(({ id }) => id)
}

/** @param assignee `none`, the id of a person, or `team:<slug>` */
export function assignedTo(assignee: string, bind: (value: unknown) => string): string {
  if (assignee === 'none') return unassigned
  return assignee.startsWith(teamPrefix)
    ? assignedToTeam(`slug = ${bind(assignee.slice(teamPrefix.length))}`)
    : `i.assignee = ${bind(assignee)}`
}

function filterConditions(filter: IssueFilter, bind: (value: unknown) => string): string[] {
  const conditions: string[] = []
  if (filter.status !== undefined) conditions.push(`i.status = ${bind(filter.status)}`)
  if (filter.substatus !== undefined) conditions.push(`${substatus} = ${bind(filter.substatus)}`)
  if (filter.level !== undefined) conditions.push(`i.level = ${bind(filter.level)}`)
  if (filter.priority !== undefined) conditions.push(`${priority} = ${bind(filter.priority)}`)
  if (filter.assignee !== undefined) conditions.push(assignedTo(filter.assignee, bind))
  if (filter.since !== undefined) conditions.push(`i.last_seen >= ${bind(filter.since)}`)
  if (filter.until !== undefined) conditions.push(`i.first_seen < ${bind(filter.until)}`)
  if (filter.search !== undefined) conditions.push(...filter.search.conditions(bind))
  if (filter.fingerprints !== undefined) {
    conditions.push(ownsOneOf('$1', bind(filter.fingerprints)))
  }
  return conditions
}

/**
 * An array and not `in`: Postgres expects many issues of many hashes, and would read all issues of
 * the project in place of a few thousand.
 */
export function ownsOneOf(projectId: string, hashes: string): string {
  return `i.id = any(array(select issue_id from issue_hashes
    where project_id = ${projectId} and hash = any(${hashes}::uuid[])))`
}

/**
 * Returns undefined for a merged issue as well: `findIssueEnd` returns the issue that it was merged
 * into.
 */
export async function findIssue(
  pg: Database,
  issue: { projectId: ProjectId; id: string },
): Promise<StoredIssue | undefined> {
  const { rows } = await pg.query<StoredIssue>(
    `select ${issueColumns('last_seen')}
     from issues i left join people person on person.id = i.assignee
     where i.project_id = $1 and i.id = $2 and i.merged_into is null`,
    [issue.projectId, issue.id],
  )
  return rows[0]
}

/** The id of the issue with this number; also of a merged one. */
export async function findIssueByNumber(
  pg: Database,
  issue: { projectId: ProjectId; shortNo: number },
): Promise<string | undefined> {
  const { rows } = await pg.query<{ id: string }>(
    'select id from issues where project_id = $1 and short_no = $2',
    [issue.projectId, issue.shortNo],
  )
  return rows[0]?.id
}

/** Those of the issues that exist and are not merged, in any order. */
export async function findIssues(
  pg: Database,
  { projectId, ids }: { projectId: ProjectId; ids: readonly string[] },
): Promise<StoredIssue[]> {
  if (ids.length === 0) return []
  const { rows } = await pg.query<StoredIssue>(
    `select ${issueColumns('last_seen')}
     from issues i left join people person on person.id = i.assignee
     where i.project_id = $1 and i.id = any($2::uuid[]) and i.merged_into is null`,
    [projectId, ids],
  )
  return rows
}

/** The issue that owns each hash. A hash without an issue is left out. */
export async function findOwners(
  pg: Database,
  lookup: { projectId: ProjectId; hashes: readonly string[] },
): Promise<Map<string, string>> {
  if (lookup.hashes.length === 0) return new Map()
  const { rows } = await pg.query<{ hash: string; issue_id: string }>(
    'select hash, issue_id from issue_hashes where project_id = $1 and hash = any($2::uuid[])',
    [lookup.projectId, lookup.hashes],
  )
  return new Map(rows.map((row) => [row.hash, row.issue_id]))
}
