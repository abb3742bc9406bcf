/**
 * Translates a search into conditions on the events in ClickHouse. Values are sent as parameters,
 * never in the text of the query. A field that events do not have is a tag.
 */

import { isIssueField } from '#schemas/search/issue-fields.ts'
import type { FieldTerm, SearchPattern, SearchTerm } from '#schemas/search/search-query.ts'
import { userIdentity } from '../issues/issue-stats.ts'
import { searchError } from './search-error.ts'
import { readTimeSpan } from './search-time.ts'
import { matches, requireEquality } from './text-match.ts'

export interface EventSearch {
  readonly conditions: readonly string[]
  /** The values by the names of the parameters in the conditions. */
  readonly parameters: Readonly<Record<string, string | number>>
}

/** Expressions of text fields; an empty text means absent. */
const textFields: ReadonlyMap<string, string> = new Map([
  ['level', 'level'],
  ['release', 'release'],
  ['dist', 'dist'],
  ['environment', 'environment'],
  ['platform', 'platform'],
  ['logger', 'logger'],
  ['component', 'component'],
  ['server_name', 'server_name'],
  ['sdk', 'sdk'],
  ['title', 'title'],
  ['message', 'title'],
  ['culprit', 'culprit'],
  ['transaction', 'transaction'],
  ['error.type', 'exception_type'],
  ['user', userIdentity],
  ['user.id', 'user_id'],
  ['user.email', 'user_email'],
  ['user.username', 'user_name'],
  ['user.name', 'user_name'],
  ['user.ip', 'user_ip'],
  ['id', `replaceAll(toString(event_id), '-', '')`],
  ['url', 'url'],
  ['http.method', 'http_method'],
  ['trace', 'trace_id'],
  ['os.name', 'os_name'],
  ['browser.name', 'browser_name'],
  ['device.model', 'device_model'],
  ['runtime.name', 'runtime_name'],
])

const timeFields: ReadonlyMap<string, string> = new Map([
  ['timestamp', 'occurred_at'],
  ['received', 'received_at'],
])

/** The expression of a text field; undefined for a tag or another type of field. */
export function textOfField(field: string): string | undefined {
  return textFields.get(field)
}

/** Field names for suggestions. */
export const eventFieldNames: readonly string[] = [...textFields.keys(), ...timeFields.keys()]

export function eventSearch(terms: readonly SearchTerm[], nowMs: number): EventSearch {
  const parameters: Record<string, string | number> = {}
  let count = 0
  const bind = (value: string | number): string => {
    const name = `search${count++}`
    parameters[name] = value
    return `{${name}:${typeof value === 'string' ? 'String' : 'Int64'}}`
  }
  const conditions = terms.map((term) => {
    const condition =
      term.kind === 'text' ? textCondition(term.text, bind) : fieldCondition(term, bind, nowMs)
    return term.isNegated ? `not (${condition})` : condition
  })
  return { conditions, parameters }
}

type Bind = (value: string | number) => string

function textCondition(text: string, bind: Bind): string {
  const value = bind(text)
  return `(positionCaseInsensitiveUTF8(title, ${value}) > 0 or positionCaseInsensitiveUTF8(culprit, ${value}) > 0)`
}

function fieldCondition(term: FieldTerm, bind: Bind, nowMs: number): string {
  if (!term.isTag) {
    if (term.field === 'has') return hasCondition(term, bind)
    requireFactOfEvents(term.field, term)
  }
  const time = term.isTag ? undefined : timeFields.get(term.field)
  if (time !== undefined) {
    const { fromMs, beforeMs } = readTimeSpan(term, nowMs)
    const instant = (ms: number) => `fromUnixTimestamp64Milli(${bind(ms)})`
    return [
      ...(fromMs === undefined ? [] : [`${time} >= ${instant(fromMs)}`]),
      ...(beforeMs === undefined ? [] : [`${time} < ${instant(beforeMs)}`]),
    ].join(' and ')
  }
  requireEquality(term)
  const known = term.isTag ? undefined : textFields.get(term.field)
  const text = known ?? `tags[${bind(term.field)}]`
  const isId = known !== undefined && term.field === 'id'
  const conditions = term.values.map((value) => matches(text, isId ? undashed(value) : value, bind))
  return `(${conditions.join(' or ')})`
}

function hasCondition({ values, operator, valuePosition, end }: FieldTerm, bind: Bind): string {
  const [value] = values
  if (operator !== '=' || values.length !== 1 || value?.pieces.length !== 1) {
    throw searchError({ position: valuePosition, end, rule: 'must name one field after has:' })
  }
  const field = value.pieces[0]!
  requireFactOfEvents(field, { position: valuePosition, end })
  if (timeFields.has(field)) return '1'
  const text = textFields.get(field)
  return text === undefined ? `mapContains(tags, ${bind(field)})` : `${text} != ''`
}

/**
 * Fields that only issues have. As tag names they would silently match nothing, so they are
 * refused.
 */
function requireFactOfEvents(
  field: string,
  { position, end }: Pick<FieldTerm, 'position' | 'end'>,
): void {
  if (!isIssueField(field) || textFields.has(field)) return
  const rule = `must not ask events for ${field}, which is a fact of issues; a tag of that name is tags[${field}]`
  throw searchError({ position, end, rule })
}

function undashed({ pieces }: SearchPattern): SearchPattern {
  return { pieces: pieces.map((piece) => piece.replaceAll('-', '').toLowerCase()) }
}
