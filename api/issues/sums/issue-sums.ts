/**
 * Users, components and environments of issues in all their events, which ClickHouse keeps as sums
 * by grouping hash.
 */
import type { ProjectId } from '#schemas/ids.ts'
import type { ClickHouse } from '../../database.ts'
import { type CountedIssue, IssueSumCache } from './issue-sum-cache.ts'
import { selectByIssue } from './select-by-issue.ts'

export interface IssueNames {
  readonly components: readonly string[]
  readonly environments: readonly string[]
}

/** Names of components or environments per issue. */
const namesPerIssueMax = 20

/**
 * The identity of the user of an event: the first known of id, email, name and IP address. The
 * projection `issue_users` has the same text (schemas/clickhouse/0023-issue-users.sql).
 */
export const userIdentity = `multiIf(
  notEmpty(user_id), concat('id:', user_id), notEmpty(user_email), concat('email:', user_email),
  notEmpty(user_name), concat('name:', user_name), notEmpty(user_ip), concat('ip:', user_ip), '')`

export const userCount = `uniqIf(${userIdentity}, notEmpty(${userIdentity}))`
export const namesOf = (column: 'component' | 'environment') =>
  `groupUniqArrayIf(${namesPerIssueMax})(${column}, notEmpty(${column}))`

export interface SumLookup {
  readonly projectId: ProjectId
  readonly issues: readonly CountedIssue[]
  readonly nowMs: number
}

export async function readUserCounts(
  clickhouse: ClickHouse,
  lookup: SumLookup,
): Promise<(issueId: string) => number> {
  const users = await readUsers(clickhouse, lookup)
  return (issueId) => users.get(issueId) ?? 0
}

/** One for each connection to ClickHouse. */
const caches = new WeakMap<
  ClickHouse,
  { readonly users: IssueSumCache<number>; readonly names: IssueSumCache<IssueNames> }
>()

function cachesOf(clickhouse: ClickHouse) {
  const found = caches.get(clickhouse) ?? { users: new IssueSumCache(), names: new IssueSumCache() }
  caches.set(clickhouse, found)
  return found
}

/** Without the issues that have no events. */
export async function readUsers(
  clickhouse: ClickHouse,
  lookup: SumLookup,
): Promise<Map<string, number>> {
  const cache = cachesOf(clickhouse).users
  return readThrough(cache, lookup, {
    find: (issue) => cache.find(issue, lookup.nowMs),
    read: async (issues) => {
      const rows = await selectByIssue<{ issue: string; userCount: number }>(
        clickhouse,
        `${userCount} as userCount`,
        { projectId: lookup.projectId, issues, projection: 'issue_users' },
      )
      return new Map(rows.map(({ issue, userCount: users }) => [issue, users]))
    },
  })
}

/** Names are only added with events, so those of some minutes ago lack only those of new events. */
export async function readNames(
  clickhouse: ClickHouse,
  lookup: SumLookup,
): Promise<Map<string, IssueNames>> {
  const cache = cachesOf(clickhouse).names
  return readThrough(cache, lookup, {
    find: (issue) => cache.findOlder(issue, lookup.nowMs),
    read: async (issues) => {
      const rows = await selectByIssue<{ issue: string } & IssueNames>(
        clickhouse,
        `${namesOf('component')} as components, ${namesOf('environment')} as environments`,
        {
          ...{ projectId: lookup.projectId, issues },
          ...{ projection: 'issue_names', distinct: ['component', 'environment'] },
        },
      )
      return new Map(rows.map(({ issue, ...names }) => [issue, names]))
    },
  })
}

interface Source<Sums> {
  readonly find: (issue: CountedIssue) => { readonly sums: Sums | undefined } | undefined
  readonly read: (issues: readonly CountedIssue[]) => Promise<Map<string, Sums>>
}

async function readThrough<Sums>(
  cache: IssueSumCache<Sums>,
  { issues, nowMs }: SumLookup,
  { find, read }: Source<Sums>,
): Promise<Map<string, Sums>> {
  const sums = new Map<string, Sums>()
  const unknown: CountedIssue[] = []
  for (const issue of issues) {
    const known = find(issue)
    if (known === undefined) unknown.push(issue)
    else if (known.sums !== undefined) sums.set(issue.id, known.sums)
  }
  if (unknown.length === 0) return sums
  const found = await read(unknown)
  for (const issue of unknown) cache.keep(issue, found.get(issue.id), nowMs)
  for (const [id, one] of found) sums.set(id, one)
  return sums
}

export function joinNames(
  known: readonly string[],
  more: readonly string[] = [],
): readonly string[] {
  return [...new Set([...known, ...more])].sort().slice(0, namesPerIssueMax)
}
