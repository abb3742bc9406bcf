/** Names that can be typed: the fields of the search language, and the tags of the project. */
import type { SearchField } from '../../../../generated/api.d.ts'

export interface Completion {
  readonly text: string
  /** A number of events, or what a field is. */
  readonly detail?: string | undefined
  /** Written as it is, without quotes. */
  readonly raw?: boolean
  readonly isTagLikeField?: boolean
}

type NamedField = Pick<SearchField, 'name' | 'alias_of' | 'description'>

/** These come first, before anything is typed. */
const usual = [
  'is',
  'level',
  'assigned',
  'environment',
  'release',
  'last_seen',
  'first_seen',
  'times_seen',
  'user.email',
  'error.type',
]

interface NamedTag {
  readonly key: string
  readonly count: number
  readonly is_derived?: boolean
}

export function fieldCompletions(
  fields: readonly NamedField[],
  tags: readonly NamedTag[],
  prefix: string,
): readonly Completion[] {
  const wanted = prefix.toLowerCase()
  const names = new Set(fields.map(({ name }) => name))
  // Other names of a field only fill the list, unless somebody types one of them.
  const own = fields.filter(
    ({ name, alias_of: of }) => of === null || (wanted !== '' && name.toLowerCase() === wanted),
  )
  // A derived tag is found by the field of its name.
  const setTags = tags.filter(({ is_derived: isDerived }) => isDerived !== true)
  const all: Completion[] = [
    ...own.map(({ name, description }) => ({ text: name, detail: description })),
    ...setTags.map(({ key, count }) => ({
      text: key,
      detail: `Tag of ${count.toLocaleString('en')} events`,
      isTagLikeField: names.has(key),
    })),
  ]
  const rankOf = ({ text }: Completion) => {
    const place = usual.indexOf(text)
    const begins = text.toLowerCase().startsWith(wanted) ? 0 : 100
    return begins + (place < 0 ? usual.length : place)
  }
  return all
    .filter(({ text }) => text.toLowerCase().includes(wanted))
    .map((completion, index) => ({ completion, rank: rankOf(completion) * 1_000 + index }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ completion }) => completion)
}

const times: readonly Completion[] = [
  { text: '-1h', detail: 'In the last hour', raw: true },
  { text: '-24h', detail: 'In the last 24 hours', raw: true },
  { text: '-7d', detail: 'In the last 7 days', raw: true },
  { text: '-30d', detail: 'In the last 30 days', raw: true },
  { text: '+7d', detail: 'More than 7 days ago', raw: true },
]
const counts: readonly Completion[] = ['>1', '>10', '>100', '>1000'].map((text) => ({
  text,
  raw: true,
}))

/** Values that need no request; undefined for those that do. */
export function fixedCompletions(
  field: Pick<SearchField, 'type' | 'values'> | undefined,
): readonly Completion[] | undefined {
  if (field?.type === 'time') return times
  if (field?.type === 'number') return counts
  return field?.values?.map((text) => ({ text }))
}
