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
import { shortened } from '#schemas/stored-text.ts'
import type { ApiContext } from '../context.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { eventFieldOf } from './event-fields.ts'
import { listFrequentTags, rememberTag, tagExists } from './known-tag-store.ts'
import { searchError } from './search-error.ts'
import { closestNames } from './suggest-names.ts'

export type NamesContext = Pick<ApiContext, 'pg' | 'clickhouse' | 'clock'> &
  Partial<Pick<ApiContext, 'log'>>

const knownMax = 20_000
/** Of a name, in a message. */
const shownCharactersMax = 50
/** One for each connection to ClickHouse. */
const caches = new WeakMap<ApiContext['clickhouse'], RecentMap<string, true>>()

export async function requireKnownNames(
  terms: readonly SearchTerm[],
  projectId: ProjectId,
  ctx: NamesContext,
): Promise<void> {
  for (const { position, end, ...named } of terms.flatMap(tagsIn)) {
    if (await isKnownTag(named.name, projectId, ctx)) continue
    const rule = await ruleOfUnknown(named, projectId, ctx)
    throw searchError({ position, end, rule: `must name ${rule}` })
  }
}

/** Throws if the name is neither a field nor a tag of the project, as a search does. */
export async function requireKnownName(
  { name, isTag, field }: NamedTag & { readonly field: string },
  projectId: ProjectId,
  ctx: NamesContext,
): Promise<void> {
  if (!isTag && isField(name)) return
  if (await isKnownTag(name, projectId, ctx)) return
  const rule = await ruleOfUnknown({ name, isTag }, projectId, ctx)
  throw invalidField(field, `must be ${rule}`)
}

async function isKnownTag(name: string, projectId: ProjectId, ctx: NamesContext): Promise<boolean> {
  const known = caches.get(ctx.clickhouse) ?? new RecentMap<string, true>(knownMax)
  caches.set(ctx.clickhouse, known)
  const key = `${projectId} ${name}`
  if (known.get(key) !== undefined) return true
  const tag = { projectId, name }
  if (!(await tagExists(ctx, tag))) return false
  known.set(key, true)
  await rememberTag(ctx, tag)
  return true
}

/** The names of the tags that the terms ask for. */
export function tagNamesIn(terms: readonly SearchTerm[]): readonly string[] {
  return terms.flatMap(tagsIn).map(({ name }) => name)
}

interface NamedTag {
  readonly name: string
  /** Written `tags[name]`, so that it is no field. */
  readonly isTag: boolean
}

interface PlacedTag extends NamedTag {
  readonly position: number
  readonly end: number
}

function tagsIn(term: SearchTerm): PlacedTag[] {
  if (term.kind === 'text') return []
  if (term.isTag || !isField(term.field)) return [tagOf(term)]
  if (term.field !== 'has') return []
  const [value, ...others] = term.values
  const name = value && others.length === 0 ? plainText(value) : undefined
  if (name === undefined || isField(name)) return []
  return [{ name, isTag: false, position: term.valuePosition, end: term.end }]
}

function tagOf({ field, isTag, isNegated, position, valuePosition }: FieldTerm): PlacedTag {
  const start = position + (isNegated && valuePosition - position > field.length + 1 ? 1 : 0)
  // Without the colon.
  return { name: field, isTag, position: start, end: valuePosition - 1 }
}

function isField(name: string): boolean {
  return name === 'has' || issueFieldOf(name) !== undefined || eventFieldOf(name) !== undefined
}

async function ruleOfUnknown(
  { name, isTag }: NamedTag,
  projectId: ProjectId,
  ctx: NamesContext,
): Promise<string> {
  const tags = await listFrequentTags(ctx, projectId)
  const names = closestNames(name, tags, { isTag })
  const closest =
    names.length === 0 ? 'GET search/fields lists the fields' : `did you mean ${names.join(', ')}?`
  const shown = shownName(name)
  const what = isTag
    ? `a tag of an event of the project, and no event has ${shown}`
    : `a field or a tag of an event of the project, and ${shown} is neither`
  return `${what}; ${closest}`
}

export function shownName(name: string): string {
  return shortened(name, shownCharactersMax)
}
