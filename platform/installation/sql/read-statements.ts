/**
 * Splits SQL into statements and tokens, without comments. It knows the quoting rules of Postgres
 * and ClickHouse, so that text in strings, comments and function bodies is never taken for SQL.
 */

export type Dialect = 'postgres' | 'clickhouse'

export interface Token {
  /** `word`: a keyword or a name, in lower case. `name`: a quoted name. `text`: a string. */
  readonly kind: 'word' | 'name' | 'text' | 'sign'
  readonly value: string
}

/** Throws if a comment or a string has no end. */
export function readStatements(sql: string, dialect: Dialect): Token[][] {
  const statements: Token[][] = []
  let tokens: Token[] = []
  let at = 0
  while (at < sql.length) {
    const { end, token } = nextToken(sql, at, dialect)
    at = end
    if (token === undefined) continue
    if (token.kind === 'sign' && token.value === ';') {
      if (tokens.length > 0) statements.push(tokens)
      tokens = []
    } else tokens.push(token)
  }
  if (tokens.length > 0) statements.push(tokens)
  return statements
}

interface Next {
  readonly end: number
  /** Undefined for white space and comments. */
  readonly token?: Token
}

const space = /[\s\uFEFF]+/y
const lineComment = /--[^\n]*/y
const dollarQuote = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy
const escapeString = /[eE](?=')/y
const word = /[\p{L}_][\p{L}\p{N}_$]*/uy
const number = /\d[\w.]*/y

function nextToken(sql: string, at: number, dialect: Dialect): Next {
  const skipped = match(space, sql, at) ?? match(lineComment, sql, at)
  if (skipped !== undefined) return { end: at + skipped.length }
  if (sql.startsWith('/*', at)) return { end: endOfComment(sql, at, dialect === 'postgres') }
  const start = sql[at]!
  if (start === "'") return quoted(sql, at, 'text', dialect === 'clickhouse')
  if (start === '"') return quoted(sql, at, 'name', dialect === 'clickhouse')
  if (start === '`' && dialect === 'clickhouse') return quoted(sql, at, 'name', true)
  if (dialect === 'postgres' && match(escapeString, sql, at) !== undefined) {
    return quoted(sql, at + 1, 'text', true)
  }
  const tag = match(dollarQuote, sql, at)
  if (tag !== undefined) {
    const end = sql.indexOf(tag, at + tag.length)
    if (end === -1) throw new Error(`the string that starts with ${tag} has no end`)
    return {
      end: end + tag.length,
      token: { kind: 'text', value: sql.slice(at + tag.length, end) },
    }
  }
  const name = match(word, sql, at) ?? match(number, sql, at)
  if (name !== undefined) {
    return { end: at + name.length, token: { kind: 'word', value: name.toLowerCase() } }
  }
  return { end: at + 1, token: { kind: 'sign', value: start } }
}

function match(pattern: RegExp, sql: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(sql)?.[0]
}

/** Comments of Postgres can contain comments. */
function endOfComment(sql: string, from: number, isNested: boolean): number {
  let depth = 0
  for (let at = from; at < sql.length; ) {
    if (sql.startsWith('/*', at) && (depth === 0 || isNested)) {
      depth += 1
      at += 2
    } else if (sql.startsWith('*/', at)) {
      depth -= 1
      at += 2
      if (depth === 0) return at
    } else at += 1
  }
  throw new Error('a comment has no end')
}

/** A doubled quote is one quote of the text. */
function quoted(sql: string, from: number, kind: 'text' | 'name', hasEscapes: boolean): Next {
  const quote = sql[from]!
  let value = ''
  for (let at = from + 1; at < sql.length; at += 1) {
    const sign = sql[at]!
    if (hasEscapes && sign === '\\') {
      at += 1
      value += sql[at] ?? ''
    } else if (sign !== quote) value += sign
    else if (sql[at + 1] === quote) {
      at += 1
      value += quote
    } else return { end: at + 1, token: { kind, value } }
  }
  throw new Error(`the ${kind === 'text' ? 'string' : 'name'} that starts with ${quote} has no end`)
}
