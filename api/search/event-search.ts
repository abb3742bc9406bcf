/**
 * What a search says of events, as conditions on ClickHouse's table. Values travel as parameters and never in the text of the
 * query; a field that is none of the event's own is a tag.
 */

import { userIdentity } from '../issues/issue-stats.ts'
import { isIssueField } from './issue-fields.ts'
import { searchError } from './search-error.ts'
import type { FieldTerm, SearchPattern, SearchTerm } from './search-query.ts'
import { readTimeSpan } from './search-time.ts'
import { matches, requireEquality } from './text-match.ts'

export interface EventSearch {
  readonly conditions: readonly string[]
  /** By the names that stand in the conditions. */
  readonly parameters: Readonly<Record<string, string | number>>
}

const inPayloadStart = 'JSONExtractString(payload, '
const inPayload = (...path: readonly string[]) =>
  `${inPayloadStart}${path.map((name) => `'${name}'`).join(', ')})`

/** Expressions of text; an empty text means that there is none. */
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
  ['transaction', inPayload('transaction')],
  ['error.type', 'exception_type'],
  ['user', userIdentity],
  ['user.id', 'user_id'],
  ['user.email', 'user_email'],
  ['user.username', 'user_name'],
  ['user.name', 'user_name'],
  ['user.ip', 'user_ip'],
  ['id', `replaceAll(toString(event_id), '-', '')`],
  ['url', inPayload('request', 'url')],
  ['http.method', inPayload('request', 'method')],
  ['trace', inPayload('contexts', 'trace', 'trace_id')],
  ['os.name', inPayload('contexts', 'os', 'name')],
  ['browser.name', inPayload('contexts', 'browser', 'name')],
  ['device.model', inPayload('contexts', 'device', 'model')],
  ['runtime.name', inPayload('contexts', 'runtime', 'name')],
])

const timeFields: ReadonlyMap<string, string> = new Map([
  ['timestamp', 'occurred_at'],
  ['received', 'received_at'],
])

/** The text that a field stands for; undefined: it is a tag, or no text. */
export function textOfField(field: string): string | undefined {
  return textFields.get(field)
}

/** Names that a person may look for, for suggestions. */
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
    requireFactOfEvents(term.field, term.position)
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
  const conditions = term.values.map((value) => {
    const condition = matches(text, isId ? undashed(value) : value, bind)
    return text.startsWith(inPayloadStart) ? payloadHas(value, bind) + condition : condition
  })
  return `(${conditions.join(' or ')})`
}

function hasCondition({ values, operator, valuePosition }: FieldTerm, bind: Bind): string {
  const [value] = values
  if (operator !== '=' || values.length !== 1 || value?.pieces.length !== 1) {
    throw searchError({ position: valuePosition, rule: 'must name one field after has:' })
  }
  const field = value.pieces[0]!
  requireFactOfEvents(field, valuePosition)
  if (timeFields.has(field)) return '1'
  const text = textFields.get(field)
  return text === undefined ? `mapContains(tags, ${bind(field)})` : `${text} != ''`
}

/** What only issues have: as the name of a tag it would find nothing, and nobody would know why. */
function requireFactOfEvents(field: string, position: number): void {
  if (!isIssueField(field) || textFields.has(field)) return
  const rule = `must not ask events for ${field}, which is a fact of issues; a tag of that name is tags[${field}]`
  throw searchError({ position, rule })
}

/** Signs that stand in JSON as they are, and whose case is the same to every function. */
const plainInJson = /^[ !#-[\]-~]+$/

/** A payload without the longest piece need not be read as JSON, which takes twice as long as looking for the piece. */
function payloadHas({ pieces }: SearchPattern, bind: Bind): string {
  const [longest] = pieces
    .filter((piece) => plainInJson.test(piece))
    .sort((a, b) => b.length - a.length)
  return longest === undefined ? '' : `positionCaseInsensitive(payload, ${bind(longest)}) > 0 and `
}

function undashed({ pieces }: SearchPattern): SearchPattern {
  return { pieces: pieces.map((piece) => piece.replaceAll('-', '').toLowerCase()) }
}
