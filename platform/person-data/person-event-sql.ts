/**
 * The rows of ClickHouse that name a person, as SQL: the conditions that find them and the
 * expressions that erase them. Patterns are written as hexadecimal text, so that no quoting can go
 * wrong.
 */
import { clickHouseTables } from '#schemas/stored-data/clickhouse-tables.ts'
import type { PersonSubject } from '#schemas/stored-data/person-subject.ts'
import {
  erasedText,
  type PersonPattern,
  personPatterns,
  spellingsOf,
} from '../text/person-pattern.ts'

export interface EventColumn {
  readonly name: string
  readonly type: string
}

export interface PersonEventSql {
  /** Finds the rows of `events` that name the person. */
  readonly found: string
  /** Pairs of a column and its erased value, for `alter table events update`. */
  readonly changes: readonly string[]
}

const userColumns = ['user_id', 'user_email', 'user_name', 'user_ip']
/** Columns made of the user's place: empty once the user is erased. */
const placeColumns = ['geo_country', 'geo_region', 'geo_city']
/** Columns that hold JSON. */
const jsonColumns = new Set(['payload', 'grouping'])
const isText = ({ type }: EventColumn) => /^(?:LowCardinality\(String\)|String)$/.test(type)
const isList = ({ type }: EventColumn) =>
  /^Array\((?:LowCardinality\(String\)|String)\)$/.test(type)
const isTags = ({ type }: EventColumn) => /^Map\(.*String\)$/.test(type)

/** @param columns of the table `events`, as `system.columns` lists them. */
export function personEventSql(
  subject: PersonSubject,
  columns: readonly EventColumn[],
): PersonEventSql {
  const { names } = clickHouseTables.find(({ name }) => name === 'events')!
  const patterns = personPatterns(subject)
  const searched = columns.filter((column) => !names.includes(column.name))
  const texts = searched.filter(isText)
  const lists = searched.filter(isList)
  const maps = searched.filter(isTags)
  const own = ownRows(subject)
  const found = [
    own,
    ...patterns.flatMap((pattern) => [
      ...texts.map(({ name }) => `match(${name}, ${patternLiteral(pattern, formOf(name))})`),
      ...lists.map(
        ({ name }) => `arrayExists(v -> match(v, ${patternLiteral(pattern, 'text')}), ${name})`,
      ),
      ...maps.map(
        ({ name }) =>
          `arrayExists(v -> match(v, ${patternLiteral(pattern, 'text')}), mapValues(${name}))`,
      ),
    ]),
  ]
  return {
    found: `(${found.join(' or ')})`,
    changes: [
      ...texts.map(({ name }) => `${name} = ${erasedColumn(name, own, patterns)}`),
      // Without a pattern, nothing in a list names the person, whose id is a whole value.
      ...(patterns.length === 0 ? [] : lists).map(
        ({ name }) => `${name} = arrayMap(v -> ${replaced('v', patterns, 'text')}, ${name})`,
      ),
      ...maps.map(
        ({ name }) =>
          `${name} = mapApply((k, v) -> (k, ${replaced('v', patterns, 'text')}), ${name})`,
      ),
    ],
  }
}

/** Rows whose user is the person: all that is stored about their user is erased. */
function ownRows({ email, user_id: userId }: PersonSubject): string {
  const conditions = [
    ...(userId === undefined
      ? []
      : [`user_id = ${literal(userId)}`, `JSON_VALUE(payload, '$.user.id') = ${literal(userId)}`]),
    ...(email === undefined
      ? []
      : [`lowerUTF8(trim(user_email)) in (${spellingsOf(email).map(literal).join(', ')})`]),
  ]
  return conditions.length === 0 ? 'false' : `(${conditions.join(' or ')})`
}

function erasedColumn(name: string, own: string, patterns: readonly PersonPattern[]): string {
  const text = replaced(name, patterns, formOf(name))
  if (userColumns.includes(name)) {
    return `if(${own} and ${name} != '', ${literal(erasedText)}, ${text})`
  }
  if (placeColumns.includes(name)) return `if(${own}, '', ${text})`
  if (name !== 'payload') return text
  // The user is replaced as a whole: a merge alone would keep fields that it does not name.
  const user = literal(JSON.stringify({ user: { id: erasedText } }))
  const without = `jsonMergePatch(payload, '{"user":0}')`
  return `if(${own}, ${replaced(`jsonMergePatch(${without}, ${user})`, patterns, 'json')}, ${text})`
}

function formOf(column: string): keyof PersonPattern {
  return jsonColumns.has(column) ? 'json' : 'text'
}

function replaced(
  value: string,
  patterns: readonly PersonPattern[],
  form: keyof PersonPattern,
): string {
  let sql = value
  for (const pattern of patterns) {
    for (const _ of [1, 2]) {
      sql = `replaceRegexpAll(${sql}, ${patternLiteral(pattern, form)}, '\\\\1${erasedText}\\\\2')`
    }
  }
  return sql
}

function patternLiteral(pattern: PersonPattern, form: keyof PersonPattern): string {
  return literal(`(?i)${pattern[form]}`)
}

// cspell:ignore unhex
function literal(text: string): string {
  return `unhex('${Buffer.from(text).toString('hex')}')`
}
