/**
 * Refuses names in a search that are neither fields nor tags of the project: a misspelled name
 * would find nothing, and with a `!` everything. Whether a tag exists is asked of the events
 * themselves, so a new tag is known with its first stored event. Names that are known are
 * remembered by the process and, because events expire, in Postgres.
 */
import { RecentMap } from '#platform/recent-map.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { issueFieldOf } from '#schemas/search/issue-fields.ts'
import { type FieldTerm, plainText, type SearchTerm } from '#schemas/search/search-query.ts'
import type { ApiContext } from '../context.ts'
import { eventFieldOf } from './event-fields.ts'
import { listFrequentTags, rememberTag, tagExists } from './known-tag-store.ts'
import { searchError } from './search-error.ts'
import { closestNames } from './suggest-names.ts'

export type NamesContext = Pick<ApiContext, 'pg' | 'clickhouse' | 'clock'> &
  Partial<Pick<ApiContext, 'log'>>

const knownMax = 20_000
/** One for each connection to ClickHouse. */
const caches = new WeakMap<ApiContext['clickhouse'], RecentMap<string, true>>()

export async function requireKnownNames(
  terms: readonly SearchTerm[],
  projectId: ProjectId,
  ctx: NamesContext,
): Promise<void> {
  const known = caches.get(ctx.clickhouse) ?? new RecentMap<string, true>(knownMax)
  caches.set(ctx.clickhouse, known)
  for (const named of terms.flatMap(tagsIn)) {
    const key = `${projectId} ${named.name}`
    if (known.get(key) !== undefined) continue
    const tag = { projectId, name: named.name }
    if (!(await tagExists(ctx, tag))) throw await unknownName(named, projectId, ctx)
    known.set(key, true)
    await rememberTag(ctx, tag)
  }
}

/** The names of the tags that the terms ask for. */
export function tagNamesIn(terms: readonly SearchTerm[]): readonly string[] {
  return terms.flatMap(tagsIn).map(({ name }) => name)
}

interface NamedTag {
  readonly name: string
  readonly isTag: boolean
  readonly position: number
  readonly end: number
}

function tagsIn(term: SearchTerm): NamedTag[] {
  if (term.kind === 'text') return []
  if (term.isTag || !isField(term.field)) return [tagOf(term)]
  if (term.field !== 'has') return []
  const [value, ...others] = term.values
  const name = value && others.length === 0 ? plainText(value) : undefined
  if (name === undefined || isField(name)) return []
  return [{ name, isTag: false, position: term.valuePosition, end: term.end }]
}

function tagOf({ field, isTag, isNegated, position, valuePosition }: FieldTerm): NamedTag {
  const start = position + (isNegated && valuePosition - position > field.length + 1 ? 1 : 0)
  // Without the colon.
  return { name: field, isTag, position: start, end: valuePosition - 1 }
}

function isField(name: string): boolean {
  return name === 'has' || issueFieldOf(name) !== undefined || eventFieldOf(name) !== undefined
}

async function unknownName(
  { name, isTag, position, end }: NamedTag,
  projectId: ProjectId,
  ctx: NamesContext,
): Promise<Error> {
  const tags = await listFrequentTags(ctx, projectId)
  const names = closestNames(name, tags, { isTag })
  const closest =
    names.length === 0 ? 'GET search/fields lists the fields' : `did you mean ${names.join(', ')}?`
  const what = isTag
    ? 'a tag of an event of the project'
    : 'a field or a tag of an event of the project'
  return searchError({
    position,
    end,
    rule: `must name ${what}, and ${shownName(name)} is neither; ${closest}`,
  })
}

export function shownName(name: string): string {
  return name.length <= 50 ? name : `${name.slice(0, 50)}…`
}
