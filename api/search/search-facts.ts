/** What a search needs to know before it is translated: the time, the caller and the releases. */
import { isAboutReleases } from '#schemas/search/release-term.ts'
import { type SearchNode, type SearchTerm, termsIn } from '#schemas/search/search-query.ts'
import type { ApiContext } from '../context.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { type KnownReleases, noReleases, readReleases } from './release-list.ts'
import { requireKnownNames } from './require-known-names.ts'
import { readUsersSeen, type UsersSeen } from './users-seen.ts'

export interface SearchFacts {
  readonly nowMs: number
  /** Only events received since then are asked for. */
  readonly sinceMs?: number | undefined
  /** Who `me` is. Undefined for a token. */
  readonly personId?: string | undefined
  readonly releases: KnownReleases
  /** By the term that asks for it. */
  readonly usersSeen: ReadonlyMap<SearchTerm, UsersSeen>
}

/** Facts for checking a query: no release is known, and nothing about this project. */
export function factsAt(nowMs: number): SearchFacts {
  return { nowMs, releases: noReleases, usersSeen: new Map() }
}

export interface Searching {
  readonly project: Pick<StoredProject, 'dsnId'>
  readonly personId: string | undefined
  readonly since?: string | undefined
}

/** Also refuses names that are neither fields nor tags of the project. */
export async function readSearchFacts(
  nodes: readonly SearchNode[],
  { project, personId, since }: Searching,
  ctx: ApiContext,
): Promise<SearchFacts> {
  const projectId = project.dsnId
  const nowMs = ctx.clock.nowMs()
  const terms = termsIn(nodes)
  await requireKnownNames(terms, projectId, ctx)
  const ofReleases = terms.filter((term) => term.kind === 'field' && isAboutReleases(term))
  return {
    nowMs,
    sinceMs: since === undefined ? undefined : Date.parse(since),
    personId,
    releases: ofReleases.length === 0 ? noReleases : await readReleases(ofReleases, projectId, ctx),
    usersSeen: await readUsersSeen(terms, projectId, ctx),
  }
}
