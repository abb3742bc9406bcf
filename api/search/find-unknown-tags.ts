/** Tags that are named where they may come later: they are a warning, and no error. */
import type { ProjectId } from '#schemas/ids.ts'
import { listFrequentTags, unknownTags } from './known-tag-store.ts'
import { type NamesContext, shownName } from './require-known-names.ts'
import { closestNames } from './suggest-names.ts'

type Closest = (typed: string, tags: readonly string[]) => readonly string[]

/**
 * The tags that no event of the project has, each with the names that may be meant.
 *
 * @param closest by default also fields, as a search has them.
 */
export async function findUnknownTags(
  ctx: NamesContext,
  projectId: ProjectId,
  names: readonly string[],
  closest: Closest = (typed, tags) => closestNames(typed, tags, { isTag: false }),
): Promise<ReadonlyMap<string, readonly string[]>> {
  const unknown = await unknownTags(ctx, projectId, names)
  if (unknown.length === 0) return new Map()
  const tags = await listFrequentTags(ctx, projectId)
  return new Map(unknown.map((name) => [name, closest(name, tags)]))
}

export function unknownTagRule(name: string, closest: readonly string[]): string {
  const meant = closest.length === 0 ? '' : `; did you mean ${closest.join(', ')}?`
  return `no event of the project has the tag ${shownName(name)}${meant}`
}
