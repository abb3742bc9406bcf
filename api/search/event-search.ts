/**
 * Translates a search into conditions on the events in ClickHouse. Values are sent as parameters,
 * never in the text of the query. A field that events do not have is a tag.
 */

import { issueFieldOf } from '#schemas/search/issue-fields.ts'
import { parseNumberRange } from '#schemas/search/number-range.ts'
import { isAboutReleases } from '#schemas/search/release-term.ts'
import type { FieldTerm, SearchNode, SearchPattern } from '#schemas/search/search-query.ts'
import { parseYesNo } from '#schemas/search/yes-no.ts'
import { type EventField, eventFieldOf } from './event-fields.ts'
import { releasesIn } from './release-list.ts'
import { readValue, searchError } from './search-error.ts'
import type { SearchFacts } from './search-facts.ts'
import { readTimeSpan } from './search-time.ts'
import { matches, requireEquality } from './text-match.ts'
import { userCondition } from './user-condition.ts'

export interface EventSearch {
  /**
   * All must hold. They use the parameter `project`, which the query of ClickHouse has to have.
   */
  readonly conditions: readonly string[]
  /** The values by the names of the parameters in the conditions. */
  readonly parameters: Readonly<Record<string, string | number>>
}

export function eventSearch(nodes: readonly SearchNode[], facts: SearchFacts): EventSearch {
  const parameters: Record<string, string | number> = {}
  let count = 0
  const bind = (value: string | number): string => {
    const name = `search${count++}`
    parameters[name] = value
    return `{${name}:${typeof value === 'string' ? 'String' : 'Int64'}}`
  }
  const conditions = nodes.map((node) => conditionOf(node, bind, facts))
  if (!conditions.some((condition) => condition.includes(stacksSince))) {
    return { conditions, parameters }
  }
  return { conditions, parameters: { ...parameters, stacksSinceMs: stacksSinceMs(facts.sinceMs) } }
}

/** For a query that reads only events since then: the names of stacks are read since then, too. */
export function narrowed<Parameters extends EventSearch['parameters']>(
  parameters: Parameters,
  sinceMs: number | undefined,
): Parameters {
  const before = parameters['stacksSinceMs']
  if (sinceMs === undefined || typeof before !== 'number') return parameters
  return { ...parameters, stacksSinceMs: Math.max(before, stacksSinceMs(sinceMs)) }
}

/** The row with the names of a stack was received in the same hour as the others. */
function stacksSinceMs(sinceMs: number | undefined): number {
  return sinceMs === undefined ? 0 : Math.max(0, Math.trunc(sinceMs) - hourMs)
}

const hourMs = 3_600_000
const stacksSince = 'fromUnixTimestamp64Milli({stacksSinceMs:Int64})'

type Bind = (value: string | number) => string

function conditionOf(node: SearchNode, bind: Bind, facts: SearchFacts): string {
  const condition = positiveOf(node, bind, facts)
  return node.isNegated ? `not (${condition})` : condition
}

function positiveOf(node: SearchNode, bind: Bind, facts: SearchFacts): string {
  if (node.kind === 'text') return textCondition(node.text, bind)
  if (node.kind === 'field') return fieldCondition(node, bind, facts)
  return `(${node.nodes.map((each) => conditionOf(each, bind, facts)).join(` ${node.kind} `)})`
}

function textCondition(text: string, bind: Bind): string {
  const inText = containing(text, bind)
  return `(${inText('title')} or ${inText('culprit')})`
}

/** Whether a text contains the value in any case. ASCII is compared in half of the time. */
function containing(value: string, bind: Bind): (sql: string) => string {
  const position = isAscii(value) ? 'positionCaseInsensitive' : 'positionCaseInsensitiveUTF8'
  const bound = bind(value)
  return (sql) => `${position}(${sql}, ${bound}) > 0`
}

function isAscii(value: string): boolean {
  return Buffer.byteLength(value) === value.length
}

function fieldCondition(term: FieldTerm, bind: Bind, facts: SearchFacts): string {
  if (!term.isTag) {
    if (term.field === 'has') return hasCondition(term, bind)
    requireFactOfEvents(term.field, term)
    if (isAboutReleases(term)) return releasesIn('release', term, facts)
  }
  const field = term.isTag ? undefined : eventFieldOf(term.field)
  if (field === undefined) {
    requireEquality(term)
    return anyOf(term, (value) => tagCondition(bind(term.field), value, bind))
  }
  return compilers[field.kind](field as never, term, bind, facts)
}

type Compile<Kind extends EventField['kind']> = (
  field: Extract<EventField, { kind: Kind }>,
  term: FieldTerm,
  bind: Bind,
  facts: SearchFacts,
) => string

const compilers: { readonly [Kind in EventField['kind']]: Compile<Kind> } = {
  text: ({ sql }, term, bind) => {
    requireEquality(term)
    const isId = term.field === 'id' || term.field === 'event.id'
    return anyOf(term, (value) => matches(sql, isId ? undashed(value) : value, bind))
  },
  release: (_field, term, _bind, facts) => releasesIn('release', term, facts),
  contents: ({ sql, list }, term, bind) => {
    requireEquality(term)
    return anyOf(term, ({ pieces }) => {
      const inText =
        pieces.length === 1
          ? containing(pieces[0]!, bind)
          : (one: string) => matches(one, { pieces: ['', ...pieces, ''] }, bind)
      return `${inText(sql)} or arrayExists(one -> ${inText('one')}, ${list})`
    })
  },
  texts: ({ sql, list }, term, bind) => {
    requireEquality(term)
    return anyOf(term, (value) => {
      const inList = inTexts(list, value, bind)
      return sql === undefined ? inList : `(${matches(sql, value, bind)} or ${inList})`
    })
  },
  user: ({ sql }, term, bind) => {
    requireEquality(term)
    return anyOf(term, (value) => userCondition(value, bind) ?? matches(sql, value, bind))
  },
  stack: ({ column }, term, bind) => {
    requireEquality(term)
    return ofStacks(anyOf(term, (value) => inTexts(column, value, bind)))
  },
  stack_yes_no: ({ column }, term) =>
    ofStacks(`${column} = '${readValue(parseYesNo(term)).isYes ? 'yes' : 'no'}'`),
  yes_no: ({ sql, yes }, term) => {
    const no = yes === 'yes' ? 'no' : 'yes'
    return `${sql} = '${readValue(parseYesNo(term)).isYes ? yes : no}'`
  },
  code: ({ sql }, term, bind) => {
    const isRange = term.values.some(({ pieces }) => /^\d+\.\.\d+$/.test(pieces.join('*')))
    if (term.operator === '=' && !isRange) return anyOf(term, (value) => matches(sql, value, bind))
    const { from, to } = readValue(parseNumberRange(term))
    const number = `toUInt64OrNull(${sql})`
    const ends = [
      `${number} >= ${bind(from)}`,
      ...(to < Infinity ? [`${number} <= ${bind(to)}`] : []),
    ]
    return `ifNull(${ends.join(' and ')}, 0)`
  },
  time: ({ sql }, term, bind, facts) => {
    const { fromMs, beforeMs } = readTimeSpan(term, facts.nowMs)
    const instant = (ms: number) => `fromUnixTimestamp64Milli(${bind(ms)})`
    return [
      ...(fromMs === undefined ? [] : [`${sql} >= ${instant(fromMs)}`]),
      ...(beforeMs === undefined ? [] : [`${sql} < ${instant(beforeMs)}`]),
    ].join(' and ')
  },
}

function anyOf({ values }: FieldTerm, conditionFor: (value: SearchPattern) => string): string {
  return `(${values.map(conditionFor).join(' or ')})`
}

/** `tag_ids` says it without the wide map (schemas/clickhouse/0021-tag-ids.sql). */
function tagCondition(name: string, value: SearchPattern, bind: Bind): string {
  const [exact] = value.pieces
  if (value.pieces.length > 1 || exact === undefined) return matches(`tags[${name}]`, value, bind)
  const bound = bind(exact)
  return `has(tag_ids, cityHash64(${name}, ${bound}))`
}

function inTexts(list: string, value: SearchPattern, bind: Bind): string {
  const [exact] = value.pieces
  return value.pieces.length === 1 && exact !== undefined
    ? `has(${list}, ${bind(exact)})`
    : `arrayExists(one -> ${matches('one', value, bind)}, ${list})`
}

/** The first row of each hour with a stack has its names, and all rows with it have its id. */
function ofStacks(condition: string): string {
  return `stack_id in (
    select stack_id from events
    where project_id = {project:UInt64} and received_at >= ${stacksSince}
      and stack_id != 0 and ${condition})`
}

function hasCondition(term: FieldTerm, bind: Bind): string {
  const { values, operator, valuePosition, end } = term
  const [value] = values
  if (operator !== '=' || values.length !== 1 || value?.pieces.length !== 1) {
    throw searchError({ position: valuePosition, end, rule: 'must name one field after has:' })
  }
  const name = value.pieces[0]!
  requireFactOfEvents(name, { position: valuePosition, end })
  const field = eventFieldOf(name)
  if (field === undefined) return `mapContains(tags, ${bind(name)})`
  switch (field.kind) {
    case 'time':
      return '1'
    case 'release':
      return `release != ''`
    case 'texts': {
      const inList = `arrayExists(one -> one != '', ${field.list})`
      return field.sql === undefined ? inList : `(${field.sql} != '' or ${inList})`
    }
    case 'stack':
      return ofStacks(`notEmpty(${field.column})`)
    case 'stack_yes_no':
      return ofStacks(`${field.column} != ''`)
    default:
      return `${field.sql} != ''`
  }
}

/**
 * Fields that only issues have. As tag names they would silently match nothing, so they are
 * refused.
 */
function requireFactOfEvents(
  field: string,
  { position, end }: Pick<FieldTerm, 'position' | 'end'>,
): void {
  if (issueFieldOf(field) === undefined || eventFieldOf(field) !== undefined) return
  const rule = `must not ask events for ${field}, which is a fact of issues; a tag of that name is tags[${field}]`
  throw searchError({ position, end, rule })
}

function undashed({ pieces }: SearchPattern): SearchPattern {
  return { pieces: pieces.map((piece) => piece.replaceAll('-', '').toLowerCase()) }
}
