/**
 * Issues by their users (`users_seen:>5`). ClickHouse counts the users of each grouping hash. An
 * issue with several hashes is counted by itself, because they may have users in common.
 */
import type { ProjectId } from '#schemas/ids.ts'
import { canonicalField } from '#schemas/search/field-aliases.ts'
import { type NumberRange, parseNumberRange } from '#schemas/search/number-range.ts'
import type { FieldTerm, SearchTerm } from '#schemas/search/search-query.ts'
import type { ApiContext } from '../context.ts'
import { readUserCounts, userCount } from '../issues/sums/issue-sums.ts'
import { readValue } from './search-error.ts'

export interface UsersSeen {
  /** Hashes of issues that have no other one. */
  readonly hashes: readonly string[]
  /** Issues with several hashes that match, and all that were counted. */
  readonly ids: readonly string[]
  readonly countedIds: readonly string[]
  /** The issues that are not named match, because 0 is in the range. */
  readonly isOthers: boolean
}

/** Hashes and issues with several ones, the most recently seen first. */
const hashesMax = 50_000
const severalMax = 1_000

export async function readUsersSeen(
  terms: readonly SearchTerm[],
  projectId: ProjectId,
  ctx: ApiContext,
): Promise<ReadonlyMap<SearchTerm, UsersSeen>> {
  const found = new Map<SearchTerm, UsersSeen>()
  for (const term of rangesIn(terms)) {
    found.set(term, await readIssues(readValue(parseNumberRange(term)), projectId, ctx))
  }
  return found
}

/** For checking a query: the ranges are valid, and no users are counted. */
export function uncountedUsers(terms: readonly SearchTerm[]): ReadonlyMap<SearchTerm, UsersSeen> {
  const nobody: UsersSeen = { hashes: [], ids: [], countedIds: [], isOthers: false }
  return new Map(
    rangesIn(terms).map((term) => {
      readValue(parseNumberRange(term))
      return [term, nobody]
    }),
  )
}

function rangesIn(terms: readonly SearchTerm[]): FieldTerm[] {
  return terms.filter(
    (term): term is FieldTerm =>
      term.kind === 'field' && !term.isTag && canonicalField(term.field) === 'users_seen',
  )
}

async function readIssues(
  range: NumberRange,
  projectId: ProjectId,
  ctx: ApiContext,
): Promise<UsersSeen> {
  // Issues without events have no users and are not in ClickHouse: the others are looked for.
  const isOthers = range.from <= 0 && 0 <= range.to
  const from = isOthers ? range.to + 1 : Math.max(1, range.from)
  const to = isOthers ? Infinity : range.to
  const [hashes, several] = await Promise.all([
    readHashes({ from, to }, projectId, ctx),
    readSeveral(projectId, ctx),
  ])
  const nowMs = ctx.clock.nowMs()
  const usersOf = await readUserCounts(ctx.clickhouse, { projectId, issues: several, nowMs })
  return {
    hashes,
    ids: several.flatMap(({ id }) => (from <= usersOf(id) && usersOf(id) <= to ? [id] : [])),
    countedIds: several.map(({ id }) => id),
    isOthers,
  }
}

async function readHashes(
  { from, to }: { readonly from: number; readonly to: number },
  projectId: ProjectId,
  { clickhouse }: ApiContext,
): Promise<readonly string[]> {
  if (from === Infinity || to < from) return []
  // One row: the number of rows of an answer is bounded.
  const [row] = await clickhouse.select<{ hashes: string[] }>(
    `select groupArray(toString(fingerprint)) as hashes from (
       select fingerprint from events where project_id = {project:UInt64}
       group by fingerprint
       having ${userCount} >= {from:UInt64} ${to === Infinity ? '' : `and ${userCount} <= {to:UInt64}`}
       order by ${userCount} desc limit ${hashesMax}
     )`,
    { project: projectId, from, ...(to === Infinity ? {} : { to }) },
  )
  return row?.hashes ?? []
}

async function readSeveral(projectId: ProjectId, { pg }: ApiContext) {
  const { rows } = await pg.query<{ id: string; hashes: string[]; count: number; last_seen: Date }>(
    `select i.id, i.count, i.last_seen, array_agg(hash::text) as hashes
     from issue_hashes join issues i on i.id = issue_id
     where issue_hashes.project_id = $1 and i.merged_into is null
     group by i.id having count(*) > 1 order by i.last_seen desc limit ${severalMax}`,
    [projectId],
  )
  return rows
}

/** A condition on `issues i` of Postgres. */
export function usersSeenCondition(
  { hashes, ids, countedIds, isOthers }: UsersSeen,
  bind: (value: unknown) => string,
): string {
  const named = `case when i.id = any(${bind(countedIds)}::uuid[]) then i.id = any(${bind(ids)}::uuid[])
    else i.id in (select issue_id from issue_hashes
                  where project_id = i.project_id and hash = any(${bind(hashes)}::uuid[])) end`
  return isOthers ? `not (${named})` : named
}
