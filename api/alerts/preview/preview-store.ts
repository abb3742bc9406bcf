/** Reads what a rule would have seen: state changes from Postgres, events from ClickHouse. */
import type { ProjectId } from '#schemas/ids.ts'
import type { ClickHouse, Database } from '../../database.ts'
import { isOneOfHashes, joinHashes } from '../../issues/hash-list.ts'
import { rowWeight } from '../../issues/row-weight.ts'
import { userIdentity } from '../../issues/sums/issue-sums.ts'
import type { EventSearch } from '../../search/event-search.ts'

export interface IssueMoment {
  readonly issueId: string
  readonly atMs: number
  readonly kind: 'new_issue' | 'regression' | 'escalation'
  readonly data: Readonly<Record<string, unknown>>
}

export interface Lookup {
  readonly projectId: ProjectId
  readonly sinceMs: number
}

const momentsMax = 2_000

/** New issues, regressions and escalations, newest first, with one row more than the limit. */
export async function listMoments(pg: Database, { projectId, sinceMs }: Lookup) {
  const { rows } = await pg.query<{
    issue_id: string
    at: Date
    kind: IssueMoment['kind']
    data: Record<string, unknown>
  }>(
    `(select id as issue_id, created_at as at, 'new_issue' as kind,
         jsonb_build_object('title', title) as data
       from issues where project_id = $1 and created_at >= $2
       order by created_at desc limit ${momentsMax + 1})
     union all
     (select a.issue_id, a.at, case a.kind when 'escalating' then 'escalation' else 'regression' end,
         a.data || jsonb_build_object('ended', a.kind = 'returned')
       from issue_activity a join issues i on i.id = a.issue_id
       where i.project_id = $1 and i.last_seen >= $2 and a.at >= $2
         and a.kind in ('regressed', 'escalating', 'returned')
       order by a.at desc limit ${momentsMax + 1})`,
    [projectId, new Date(sinceMs)],
  )
  const moments = rows.map(
    ({ issue_id, at, kind, data }): IssueMoment => ({
      issueId: issue_id,
      atMs: at.getTime(),
      kind,
      data,
    }),
  )
  return { moments, more: rows.length > momentsMax }
}

export interface MatchRow {
  readonly hash: string
  /** The start of the step in which the events were received. */
  readonly atMs: number
  /** When the last of them was received. */
  readonly lastMs: number
  readonly events: number
  /** A hash; empty without a user, and in rows of events. */
  readonly user: string
}

/** Below the most rows that a query may return (api/database.ts). */
export const matchRowsMax = 15_000

function conditionsOf({ projectId, sinceMs }: Lookup, search: EventSearch | undefined) {
  const conditions = [
    'project_id = {project:UInt64}',
    'received_at >= fromUnixTimestamp64Milli({since:Int64})',
    ...(search?.conditions ?? []),
  ]
  const parameters = { ...search?.parameters, project: projectId, since: sinceMs }
  return { where: conditions.join(' and '), parameters }
}

/** The first matching event of each grouping hash, by its time in milliseconds. */
export async function listFirstMatches(
  clickhouse: ClickHouse,
  lookup: Lookup & { readonly search: EventSearch },
): Promise<readonly { readonly hash: string; readonly atMs: number }[]> {
  const { where, parameters } = conditionsOf(lookup, lookup.search)
  return clickhouse.select(
    `select toString(fingerprint) as hash, toUnixTimestamp64Milli(min(received_at)) as atMs
     from events where ${where}
     group by fingerprint order by atMs desc limit ${matchRowsMax}`,
    parameters,
  )
}

/** More of them do not fit into a request beside the filter. */
const hashesGivenMax = 100

export interface Steps {
  readonly stepSeconds: number
  readonly byUser: boolean
  /** Only these hashes; undefined for all. */
  readonly hashes: readonly string[] | undefined
  /** Only hashes with so many events, or users, in the whole time. */
  readonly countMin: number
}

/** Matching events by grouping hash and step, newest first; with users if they are asked for. */
export async function listSteps(
  clickhouse: ClickHouse,
  lookup: Lookup & { readonly search: EventSearch | undefined },
  { stepSeconds, byUser, hashes, countMin }: Steps,
): Promise<MatchRow[]> {
  const { where: matching, parameters } = conditionsOf(lookup, lookup.search)
  const isGiven = hashes !== undefined && hashes.length <= hashesGivenMax
  const where = [
    matching,
    ...(isGiven ? [isOneOfHashes] : []),
    ...(byUser ? [`${userIdentity} != ''`] : []),
  ].join(' and ')
  const size = byUser ? `uniq(${userIdentity})` : `sum(${rowWeight})`
  const enough = `select fingerprint from events where ${where} group by fingerprint having ${size} >= {min:Float64}`
  const user = byUser ? `toString(cityHash64(${userIdentity}))` : `''`
  const rows = await clickhouse.select<{
    hash: string
    at: number
    lastMs: number
    events: number
    user: string
  }>(
    `select toString(fingerprint) as hash, ${user} as user,
       intDiv(toUnixTimestamp(received_at), {step:UInt32}) * {step:UInt32} as at,
       toUnixTimestamp64Milli(max(received_at)) as lastMs, sum(${rowWeight}) as events
     from events where ${where} ${countMin > 1 ? `and fingerprint in (${enough})` : ''}
     group by hash, at, user order by at desc limit ${matchRowsMax}`,
    {
      ...parameters,
      step: stepSeconds,
      ...(countMin > 1 ? { min: countMin } : {}),
      ...(isGiven ? { hashes: joinHashes(hashes) } : {}),
    },
  )
  return rows.map(({ at, ...row }) => ({ ...row, atMs: at * 1_000 }))
}

export interface ReleaseRow {
  readonly hash: string
  readonly release: string
  /** The first event of the hash in the release that matches. */
  readonly matchMs: number
}

/**
 * First matching events of hashes in releases, newest first. Looks at earlier events, too, to know
 * that it was the first one.
 */
export async function listFirstInRelease(
  clickhouse: ClickHouse,
  lookup: Lookup & { readonly search: EventSearch | undefined; readonly beforeMs: number },
): Promise<ReleaseRow[]> {
  const matching = lookup.search?.conditions.map((one) => `(${one})`).join(' and ') ?? '1'
  return clickhouse.select<ReleaseRow>(
    `select toString(fingerprint) as hash, release,
       toUnixTimestamp64Milli(minIf(received_at, ${matching})) as matchMs
     from events where project_id = {project:UInt64}
       and received_at >= fromUnixTimestamp64Milli({before:Int64}) and release != ''
     group by fingerprint, release
     having matchMs >= {since:Int64}
     order by matchMs desc limit ${matchRowsMax}`,
    {
      ...lookup.search?.parameters,
      project: lookup.projectId,
      since: lookup.sinceMs,
      before: lookup.beforeMs,
    },
  )
}

/** The issue of each hash, and whether the issue is unresolved now. */
export async function findIssuesOfHashes(
  pg: Database,
  { projectId, hashes }: { readonly projectId: ProjectId; readonly hashes: readonly string[] },
): Promise<ReadonlyMap<string, { readonly issueId: string; readonly isUnresolved: boolean }>> {
  if (hashes.length === 0) return new Map()
  const { rows } = await pg.query<{ hash: string; issue_id: string; unresolved: boolean }>(
    `select h.hash, h.issue_id, i.status = 'unresolved' as unresolved
     from issue_hashes h join issues i on i.id = h.issue_id
     where h.project_id = $1 and h.hash = any($2::uuid[])`,
    [projectId, hashes],
  )
  return new Map(
    rows.map((row) => [row.hash, { issueId: row.issue_id, isUnresolved: row.unresolved }]),
  )
}

/** Grouping hashes of issues. */
export async function findHashesOfIssues(
  pg: Database,
  { projectId, issueIds }: { readonly projectId: ProjectId; readonly issueIds: readonly string[] },
): Promise<readonly { readonly hash: string; readonly issue_id: string }[]> {
  if (issueIds.length === 0) return []
  const { rows } = await pg.query<{ hash: string; issue_id: string }>(
    `select hash, issue_id from issue_hashes where project_id = $1 and issue_id = any($2::uuid[])
     limit ${momentsMax * 10}`,
    [projectId, [...new Set(issueIds)]],
  )
  return rows
}
