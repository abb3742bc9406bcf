/** Checks a search that is stored now and run later, without searching anything. */
import type { ProjectId } from '#schemas/ids.ts'
import { type SearchNode, termsIn } from '#schemas/search/search-query.ts'
import { unlessAway } from '../unless-away.ts'
import { eventSearch } from './event-search.ts'
import { issueConditions } from './issue-search.ts'
import { type NamesContext, requireKnownNames } from './require-known-names.ts'
import { readSearch } from './search-error.ts'
import { factsAt, type SearchFacts } from './search-facts.ts'
import { splitSearch } from './split-search.ts'
import { uncountedUsers } from './users-seen.ts'

interface StoredSearch {
  readonly text: string
  readonly of: 'issues' | 'events'
  readonly projectId: ProjectId
}

/**
 * Throws what a list with this search would reply. `me` is the person who runs it. While ClickHouse
 * is away nobody knows the tags, and every name is accepted.
 */
export async function checkSearch(
  ctx: NamesContext,
  { text, of, projectId }: StoredSearch,
): Promise<void> {
  const nodes = readSearch(text)
  const terms = termsIn(nodes)
  const facts: SearchFacts = {
    ...factsAt(ctx.clock.nowMs()),
    personId: 'me',
    usersSeen: uncountedUsers(terms),
  }
  if (of === 'events') eventSearch(nodes, facts)
  else compileIssueSearch(nodes, facts)
  await unlessAway(requireKnownNames(terms, projectId, ctx))
}

function compileIssueSearch(nodes: readonly SearchNode[], facts: SearchFacts): void {
  const { own, alternatives } = splitSearch(nodes)
  for (const { events } of alternatives) eventSearch(events, facts)
  issueConditions([...own, ...alternatives.flatMap((each) => each.own)], facts, () => '')
}
