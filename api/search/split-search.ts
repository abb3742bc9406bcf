/**
 * Splits a search for issues into what Postgres knows of the issue and what its events say. An
 * issue matches when, with its own facts put in, one of its events matches the rest. So `is:new OR
 * environment:dev` finds new issues, with or without events, and issues with an event in `dev`.
 */
import { issueFieldOf } from '#schemas/search/issue-fields.ts'
import type { SearchGroup, SearchNode } from '#schemas/search/search-query.ts'
import { searchError } from './search-error.ts'

/** One way to match: all nodes of `own` hold, and one event matches all nodes of `events`. */
export interface Alternative {
  readonly own: readonly SearchNode[]
  readonly events: readonly SearchNode[]
}

export interface SplitSearch {
  /** Hold in every way to match. */
  readonly own: readonly SearchNode[]
  /** At least one; one must hold. */
  readonly alternatives: readonly Alternative[]
}

/** Each alternative with events is a query of ClickHouse. */
const alternativesMax = 10

/** One alternative means that no OR has both kinds: events match all of its `events`. */
export function splitSearch(nodes: readonly SearchNode[]): SplitSearch {
  const own = nodes.filter((node) => subjectOf(node) === 'issue')
  const events = nodes.filter((node) => subjectOf(node) === 'event')
  let alternatives: readonly Alternative[] = [{ own: [], events }]
  for (const node of nodes) {
    if (subjectOf(node) !== 'both') continue
    alternatives = combined(alternatives, waysOf(node as SearchGroup), node)
  }
  return { own, alternatives }
}

type Subject = 'issue' | 'event' | 'both'

/** Text is that of the issue's title and culprit. */
export function subjectOf(node: SearchNode): Subject {
  if (node.kind === 'text') return 'issue'
  if (node.kind === 'field') {
    return !node.isTag && issueFieldOf(node.field) !== undefined ? 'issue' : 'event'
  }
  const subjects = new Set(node.nodes.map(subjectOf))
  return subjects.size === 1 ? [...subjects][0]! : 'both'
}

/** The ways in which a group that is about both can hold; negations go to its parts. */
function waysOf(group: SearchGroup): readonly Alternative[] {
  const nodes = group.isNegated ? group.nodes.map(negated) : group.nodes
  const isAnd = (group.kind === 'and') !== group.isNegated
  const kind = isAnd ? 'and' : 'or'
  const part = (subject: Subject) => nodes.filter((node) => subjectOf(node) === subject)
  const own = asOne(kind, part('issue'), group)
  const events = asOne(kind, part('event'), group)
  const mixed = part('both').map((node) => waysOf(node as SearchGroup))
  if (!isAnd) {
    const alternatives = [
      ...own.map((node) => ({ own: [node], events: [] })),
      ...events.map((node) => ({ own: [], events: [node] })),
      ...mixed.flat(),
    ]
    return bounded(alternatives, group)
  }
  return mixed.reduce((all, ways) => combined(all, ways, group), [
    { own, events },
  ] as readonly Alternative[])
}

function asOne(
  kind: 'and' | 'or',
  nodes: readonly SearchNode[],
  { position, end }: SearchGroup,
): readonly SearchNode[] {
  if (nodes.length <= 1 || kind === 'and') return nodes
  return [{ kind, nodes, isNegated: false, position, end }]
}

function negated(node: SearchNode): SearchNode {
  return { ...node, isNegated: !node.isNegated }
}

function combined(
  left: readonly Alternative[],
  right: readonly Alternative[],
  node: SearchNode,
): readonly Alternative[] {
  return bounded(
    left.flatMap((a) =>
      right.map((b) => ({ own: [...a.own, ...b.own], events: [...a.events, ...b.events] })),
    ),
    node,
  )
}

function bounded(
  alternatives: readonly Alternative[],
  { position, end }: SearchNode,
): readonly Alternative[] {
  if (alternatives.length <= alternativesMax) return alternatives
  const rule = `must combine facts of issues and of events in at most ${alternativesMax} ways: use fewer OR between them`
  throw searchError({ position, end, rule })
}
