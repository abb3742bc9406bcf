/**
 * Suggests names of fields and tags, and values of one of them, for a search that is being typed.
 */

import { priorities } from '#schemas/rest/issue.ts'
import {
  suggestionDays,
  suggestionEvents,
  type TagList,
  type TagListQuery,
  type TagValueItem,
} from '#schemas/rest/tag.ts'
import { fieldAliases } from '#schemas/search/field-aliases.ts'
import { issueFieldNames } from '#schemas/search/issue-fields.ts'
import type { ApiContext } from '../context.ts'
import { countDerivedTags } from '../events/derived-tag-store.ts'
import { derivedTagExpression } from '../events/derived-tags.ts'
import type { Page } from '../http/cursor.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { eventFieldNames, textOfField } from '../search/event-fields.ts'
import { stateNames } from '../search/issue-search.ts'
import { requireKnownName } from '../search/require-known-names.ts'
import { listTagKeys, listTagValues, newestEventsSince } from './tag-store.ts'

const fieldNames = [
  ...new Set(['is', 'has', ...issueFieldNames, ...eventFieldNames, ...fieldAliases.keys()]),
].sort()

const dayMs = 86_400_000

/** Lists fields in alphabetical order, tags, most frequent first, and derived tags after them. */
export async function suggestKeys(
  project: StoredProject,
  { prefix, limit }: TagListQuery,
  ctx: ApiContext,
): Promise<TagList> {
  const recent = await recentOf(project, ctx)
  const [own, derived] = await Promise.all([
    listTagKeys(ctx.clickhouse, { ...recent, prefix, limit }),
    countDerivedTags(ctx.clickhouse, { ...recent, prefix }),
  ])
  const ownKeys = new Set(own.map(({ key }) => key))
  const items = [
    ...own.map(({ key, events }) => ({ key, count: events, is_derived: false })),
    ...derived.flatMap(({ key, events }) =>
      ownKeys.has(key) ? [] : [{ key, count: events, is_derived: true }],
    ),
  ]
  return {
    items: items.slice(0, limit),
    fields: fieldNames.filter((name) => beginsWith(name, prefix)),
    next_cursor: null,
  }
}

/**
 * Lists values of a field or a tag. `tags[key]` means the tag even if a field has the same name. A
 * tag whose events have expired has no values; a name that no event ever had is refused.
 */
export async function suggestValues(
  project: StoredProject,
  { key, prefix, limit }: TagListQuery & { key: string },
  ctx: ApiContext,
): Promise<Page<TagValueItem>> {
  if (key === 'is') return fixed(stateNames, prefix)
  if (key === 'priority') return fixed(priorities, prefix)
  if (key === 'has') return fixed(eventFieldNames, prefix)
  const tag = /^tags\[(.+)\]$/s.exec(key)?.[1]
  const text = tag === undefined ? (textOfField(key) ?? derivedTagExpression(key)) : undefined
  const lookup = { ...(await recentOf(project, ctx)), key: tag ?? key, text, prefix, limit }
  const values = await listTagValues(ctx.clickhouse, lookup)
  if (values.length === 0 && text === undefined) {
    const named = { name: tag ?? key, isTag: tag !== undefined, field: 'key' }
    await requireKnownName(named, project.dsnId, ctx)
  }
  const items = values.map(({ value, events }) => ({ value, count: events }))
  return { items, next_cursor: null }
}

async function recentOf({ dsnId: projectId }: StoredProject, { clickhouse, clock }: ApiContext) {
  const sinceMs = clock.nowMs() - suggestionDays * dayMs
  const lookup = { projectId, sinceMs, events: suggestionEvents }
  return { projectId, sinceMs: await newestEventsSince(clickhouse, lookup) }
}

function fixed(names: readonly string[], prefix: string): Page<TagValueItem> {
  const items = names.filter((name) => beginsWith(name, prefix))
  return { items: items.map((value) => ({ value, count: null })), next_cursor: null }
}

function beginsWith(name: string, prefix: string): boolean {
  return name.toLowerCase().startsWith(prefix.toLowerCase())
}
