/** What the columns of a file mean, as the API's mapping. */

export const meanings = {
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
export type Meaning = keyof typeof meanings | ''

const emails = new Set([
  'email',
  'e_mail',
  'mail',
  'email_address',
  'e_mail_address',
  'emailaddress',
])
const names = new Set(['name', 'full_name', 'first_name', 'last_name'])
/** Columns that only exports of a known service have; the API knows what all its columns mean. */
const serviceColumns = [
  ...['member_rating', 'optin_time', 'leid', 'euid', 'unsub_time', 'clean_time'],
  ...['uuid', 'subscriber_type', 'suppression_cause'],
]
const serviceGroups = [
  ['id', 'email', 'first_name', 'last_name', 'unsubscribed', 'created_at'],
  ['email', 'first_name', 'last_name', 'data'],
]
/**
 * Wider than what the API takes for an opt-out: such a column never becomes an attribute unless the
 * person says so for this column.
 */
const maybeOptOut = new RegExp(
  [
    'unsub|subscribe|subscription|opt.?(out|in)|opted|status|state|type|block|black|suppress',
    'bounce|complain|spam|abuse|ban|do.?not|don.?t|no.?e?mail|gdpr|consent|permission|invalid',
    'reachable|deliver|delete|remove|active|activated|disabled|enabled|confirm|verif|clean|left',
    'churn|cancel|dn[ce]|doi|dsgvo|abgemeldet|abmeld|einwilligung|gesperrt|desinscri|desabon',
    'rgpd|desuscri|afgemeld|uitgeschreven|baja|disiscri|consens|aktiv|actif',
  ].join('|'),
  'i',
)

/** What the API makes of a column without a mapping, as the label of that choice. */
export function automaticMeaning(column: string, columns: readonly string[]): string {
  if (isServiceExport(columns)) return 'As this service means it'
  const name = normalisedName(column)
  if (emails.has(name)) return 'Email'
  if (names.has(name)) return 'Name'
  if (name === 'source') return 'Source'
  if (name === 'status') return 'Status'
  return name === 'attribs' || /^attr(?:ibs)?\./.test(column) ? 'Attribute' : 'Not imported'
}

/** Every column that would be left out becomes an attribute, except what may be an opt-out. */
export function othersAsAttributes(
  columns: readonly string[],
  chosen: Readonly<Record<string, Meaning>>,
): Record<string, Meaning> {
  const others = columns.filter(
    (column) =>
      column !== '' &&
      (!Object.hasOwn(chosen, column) || chosen[column] === '') &&
      automaticMeaning(column, columns) === 'Not imported' &&
      !maybeOptOut.test(normalisedName(column)),
  )
  return Object.fromEntries(others.map((column) => [column, 'attribute' as const]))
}

function isServiceExport(columns: readonly string[]): boolean {
  const found = new Set(columns.map(normalisedName))
  return (
    serviceColumns.some((name) => found.has(name)) ||
    serviceGroups.some((group) => group.every((name) => found.has(name)))
  )
}

/** `E-Mail` and `eMail` are both `e_mail`. */
function normalisedName(column: string): string {
  return column
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')
}

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
    .replace(/^_|_$/g, '')
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
