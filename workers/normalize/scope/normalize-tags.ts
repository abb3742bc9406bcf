/** Tags: short searchable texts, sent as a map or as pairs. Of equal keys the first is kept. */
import { tagsPerEventMax } from '#schemas/limits.ts'
import type { Draft } from '../draft.ts'
import { fieldCharactersMax } from '../field-limits.ts'
import { isPrototypeKey } from '../values/clean-json.ts'
import { cutText } from '../values/clean-text.ts'
import type { Notes } from '../values/notes.ts'
import { readPairs, scalarText } from '../values/read-value.ts'

export function normalizeTags(draft: Draft): void {
  const { tags, environment } = readTags(draft.sent, draft.notes)
  draft.event.tags = tags
  draft.stored.tags = tags.length === 0 ? undefined : tags
  draft.environmentTag = environment
}

export interface ReadTags {
  readonly tags: readonly (readonly [key: string, value: string])[]
  /** Value of the tag `environment`, which old clients send instead of the attribute. */
  readonly environment: string
}

/** Attributes of the event: a tag of the same name could contradict them in a search. */
const reservedKeys: ReadonlySet<string> = new Set([
  'release',
  'dist',
  'user',
  'filename',
  'function',
  'sentry:release',
  'sentry:dist',
  'sentry:user',
])

const validKey = /^[a-zA-Z0-9_.:-]+$/

export function readTags(
  { tags: sent, site }: { readonly tags: unknown; readonly site: unknown },
  notes: Notes,
): ReadTags {
  const pairs = sent === undefined || sent === null ? [] : readPairs(sent)
  if (pairs === undefined) notes.add('tags', 'must be an object or a list of pairs')

  const tags = new Map<string, string>()
  let environment = ''
  const all =
    site === undefined || site === null ? pairs : [...(pairs ?? []), ['site', site] as const]
  for (const [sentKey, sentValue] of all ?? []) {
    const key = readKey(sentKey, notes)
    const value = readTagValue(sentValue, notes)
    if (key === '' || value === '') continue
    if (key === 'environment') environment ||= value
    else if (reservedKeys.has(key)) notes.add('tags', `dropped: ${key} is an attribute`)
    else if (tags.has(key)) notes.add('tags', 'first of equal keys kept')
    else if (tags.size < tagsPerEventMax) tags.set(key, value)
    else notes.add('tags', `cut to ${tagsPerEventMax} tags`)
  }
  return { tags: [...tags], environment }
}

function readKey(value: unknown, notes: Notes): string {
  const text = scalarText(value)?.trim().replaceAll(' ', '-') ?? ''
  if (!validKey.test(text) || isPrototypeKey(text)) {
    if (value !== undefined && value !== null) notes.add('tags', 'dropped: not a valid key')
    return ''
  }
  if (text.length <= fieldCharactersMax.tagKey) return text
  notes.add('tags', `key cut to ${fieldCharactersMax.tagKey} characters`)
  return text.slice(0, fieldCharactersMax.tagKey)
}

function readTagValue(value: unknown, notes: Notes): string {
  const text = scalarText(value)
  if (text === undefined) {
    if (value !== undefined && value !== null) {
      notes.add('tags', 'dropped: value must be a string, number or boolean')
    }
    return ''
  }
  const line = /[\r\n]/.test(text) ? text.replace(/[\r\n]+/g, ' ').trim() : text.trim()
  if (line.length <= fieldCharactersMax.tagValue) return line
  notes.add('tags', `value cut to ${fieldCharactersMax.tagValue} characters`)
  return cutText(line, fieldCharactersMax.tagValue)
}
