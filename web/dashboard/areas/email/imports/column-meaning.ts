/** What the columns of a file mean, as the API's mapping. */

export const meanings = {
  '': 'Recognize by name',
  email: 'Email',
  name: 'Name',
  attribute: 'Attribute',
  source: 'Source',
  status: 'Status',
  unsubscribed: 'Unsubscribed: yes or a date',
  subscribed: 'Agreed: yes or a date',
  bounced: 'Bounced: yes or a date',
  complained: 'Complained: yes or a date',
  blocked: 'Blocked: yes or a date',
  ignore: 'Do not import',
} as const
export type Meaning = keyof typeof meanings

type Several = 'name' | 'unsubscribed' | 'subscribed' | 'bounced' | 'complained' | 'blocked'

export interface Mapping {
  email?: string
  source?: string
  status?: string
  name?: string[]
  unsubscribed?: string[]
  subscribed?: string[]
  bounced?: string[]
  complained?: string[]
  blocked?: string[]
  attribs?: Record<string, string>
  ignore?: string[]
}

/** Undefined when every column is recognized by its name. */
export function mappingOf(
  columns: readonly string[],
  chosen: Readonly<Record<string, Meaning>>,
): Mapping | undefined {
  const mapping: Mapping = {}
  const more = (field: Several | 'ignore', column: string) => {
    mapping[field] = [...(mapping[field] ?? []), column]
  }
  for (const column of new Set(columns)) {
    const meaning = Object.hasOwn(chosen, column) ? chosen[column]! : ''
    if (meaning === '') continue
    if (meaning === 'email' || meaning === 'source' || meaning === 'status') {
      mapping[meaning] = column
    } else if (meaning === 'attribute') {
      mapping.attribs = { ...mapping.attribs, [freeKey(column, mapping.attribs ?? {})]: column }
    } else more(meaning, column)
  }
  return Object.keys(mapping).length === 0 ? undefined : mapping
}

const keyCharactersMax = 64

/** `Favourite colour` becomes `Favourite_colour`. */
export function attribKeyOf(column: string): string {
  const key = column
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, keyCharactersMax)
  return key === '' ? 'column' : key
}

function freeKey(column: string, used: Readonly<Record<string, string>>): string {
  const key = attribKeyOf(column)
  let free = key
  for (let number = 2; Object.hasOwn(used, free); number++) {
    free = `${key.slice(0, keyCharactersMax - 4)}_${number}`
  }
  return free
}

/** The columns that an error of the API names, to show it beside them. */
export function columnsNamedIn(rule: string, columns: readonly string[]): string[] {
  return columns.filter((column) => column !== '' && rule.includes(`"${column}"`))
}
