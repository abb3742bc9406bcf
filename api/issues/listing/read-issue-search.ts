/**
 * Prepares a search for issues. Conditions of issues are for Postgres and those of events for
 * ClickHouse. Where an OR has both, ClickHouse is asked first for the hashes of each alternative,
 * and Postgres decides with them.
 */
import type { IssueListQuery } from '#schemas/rest/issue.ts'
import { canonicalField } from '#schemas/search/field-aliases.ts'
import { type NumberRange, parseNumberRange } from '#schemas/search/number-range.ts'
import type { FieldTerm, SearchNode } from '#schemas/search/search-query.ts'
import type { ApiContext } from '../../context.ts'
import type { EventFilter } from '../../events/event-store.ts'
import { eventSearch } from '../../search/event-search.ts'
import { type Bind, type IssueSearch, issueConditions } from '../../search/issue-search.ts'
import { readSearch, readValue } from '../../search/search-error.ts'
import { readSearchFacts, type Searching } from '../../search/search-facts.ts'
import { type Alternative, splitSearch, subjectOf } from '../../search/split-search.ts'
import { ownsOneOf } from '../issue-store.ts'
import { fingerprintsFilteredMax, listFingerprints } from './fingerprint-store.ts'

type Query = Pick<
  IssueListQuery,
  'query' | 'environment' | 'release' | 'component' | 'since' | 'until'
>

export interface PreparedSearch {
  readonly search: IssueSearch
  /** What one of the events of an issue must match, apart from `search`. */
  readonly events: EventFilter
  /** False if an alternative has more hashes than were read. */
  readonly isComplete: boolean
  /** Users that an issue must have, which neither `search` nor `events` checks. */
  readonly users: readonly NumberRange[]
}

interface Options extends Omit<Searching, 'since'> {
  /**
   * The caller counts users itself where that is possible: `users` has the ranges. Otherwise the
   * users of all issues are counted here.
   */
  readonly leavesUsers?: boolean
}

export async function readIssueSearch(
  query: Query,
  { project, personId, leavesUsers = false }: Options,
  ctx: ApiContext,
): Promise<PreparedSearch> {
  const { environment, release, component, since, until } = query
  const all = readSearch(query.query)
  const left =
    leavesUsers && !isAboutEvents({ ...query, search: undefined }) ? usersTermsOf(all) : []
  const users = left.map((term) => readValue(parseNumberRange(term)))
  const nodes = all.filter((node) => !left.some((term) => term === node))
  const facts = await readSearchFacts(nodes, { project, personId, since }, ctx)
  const { own, alternatives } = splitSearch(nodes)
  // What is wrong in a part is told before any part is searched.
  const compiled = alternatives.map(({ events }) =>
    events.length === 0 ? undefined : eventSearch(events, facts),
  )
  issueConditions([...own, ...alternatives.flatMap((each) => each.own)], facts, () => '')
  const [only, ...others] = alternatives
  if (others.length === 0 && only !== undefined && only.own.length === 0) {
    return {
      search: { conditions: (bind) => issueConditions(own, facts, bind) },
      events: { environment, release, component, since, until, search: compiled[0] },
      isComplete: true,
      users,
    }
  }
  const hashes = await Promise.all(
    compiled.map((search) => {
      const filter = { environment, release, component, since, until, search }
      return isAboutEvents(filter)
        ? listFingerprints(ctx.clickhouse, { projectId: project.dsnId, filter })
        : undefined
    }),
  )
  const conditionOf = ({ own: nodes }: Alternative, index: number, bind: Bind) => {
    const conditions = issueConditions(nodes, facts, bind)
    const found = hashes[index]
    if (found !== undefined) {
      conditions.push(ownsOneOf(`${bind(project.dsnId)}::bigint`, bind(found)))
    }
    return `(${conditions.join(' and ')})`
  }
  return {
    search: {
      conditions: (bind) => [
        ...issueConditions(own, facts, bind),
        `(${alternatives.map((each, index) => conditionOf(each, index, bind)).join(' or ')})`,
      ],
    },
    events: { since, until, search: undefined },
    isComplete: hashes.every((found) => (found?.length ?? 0) < fingerprintsFilteredMax),
    users,
  }
}

/** The terms on users that must hold, if the search is about issues alone. */
function usersTermsOf(nodes: readonly SearchNode[]): readonly FieldTerm[] {
  if (nodes.some((node) => subjectOf(node) !== 'issue')) return []
  return nodes.filter(
    (node): node is FieldTerm =>
      node.kind === 'field' &&
      !node.isTag &&
      !node.isNegated &&
      canonicalField(node.field) === 'users_seen',
  )
}

/** Whether an issue is listed only if one of its events matches. */
export function isAboutEvents({ environment, release, component, search }: EventFilter): boolean {
  return (environment ?? release ?? component ?? search) !== undefined
}
