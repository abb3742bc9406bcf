/**
 * Replaces what varies in SQL within a message: literals, lists of values, comments and the names
 * of savepoints. Tables and columns stay. Part of g1.
 */

const statement =
  /\b(?:select\s|insert\s{1,8}into\b|delete\s{1,8}from\b|update\s{1,8}\S{1,128}\s{1,8}set\b|merge\s{1,8}into\b)/i
const from = /\sfrom\b/i
const savepointName =
  /(\bsavepoint\s{1,4})(?:"[A-Za-z0-9_-]{1,128}"|'[A-Za-z0-9_-]{1,128}'|`[A-Za-z0-9_-]{1,128}`|(?!does\b|not\b|is\b|was\b|with\b|and\b|failed\b|of\b|for\b|in\b|can\b)[A-Za-z_][A-Za-z0-9_]{0,127})/gi
const listStart = /(?:\bin|\bvalues)\s{0,8}\(/gi

export function replaceSqlLiterals(text: string, onReplace: (kind: string) => void): string {
  const named = text.replace(savepointName, (_all, word: string) => {
    onReplace('savepoint')
    return `${word}<savepoint>`
  })
  const found = statement.exec(named)
  const sql = found === null ? '' : named.slice(found.index)
  // `select` alone is an English word, too.
  if (found === null || (/^select/i.test(found[0]) && !from.test(sql))) return named
  return (
    named.slice(0, found.index) + literals(lists(comments(sql, onReplace), onReplace), onReplace)
  )
}

function comments(sql: string, onReplace: (kind: string) => void): string {
  let out = ''
  let copied = 0
  for (let at = sql.indexOf('/*'); at !== -1; at = sql.indexOf('/*', copied)) {
    const end = sql.indexOf('*/', at + 2)
    onReplace('comment')
    out += `${sql.slice(copied, at)}<comment>`
    copied = end === -1 ? sql.length : end + 2
  }
  return out + sql.slice(copied)
}

/** A list of three values and one of two hundred are the same statement. */
function lists(sql: string, onReplace: (kind: string) => void): string {
  let out = ''
  let copied = 0
  listStart.lastIndex = 0
  for (let match = listStart.exec(sql); match !== null; match = listStart.exec(sql)) {
    const open = match.index + match[0].length - 1
    const end = endOfTuples(sql, open)
    if (/^\(\s*(?:select|with)\b/i.test(sql.slice(open, open + 64))) continue
    onReplace('list')
    out += `${sql.slice(copied, open)}(<list>)`
    copied = end
    listStart.lastIndex = end
  }
  return out + sql.slice(copied)
}

/** The end of `(…), (…)`; the end of the text when it is cut off. */
function endOfTuples(sql: string, open: number): number {
  let end = endOfParentheses(sql, open)
  for (;;) {
    const next = /^\s{0,8},\s{0,8}\(/.exec(sql.slice(end, end + 24))
    if (next === null) return end
    end = endOfParentheses(sql, end + next[0].length - 1)
  }
}

function endOfParentheses(sql: string, open: number): number {
  let depth = 0
  for (let index = open; index < sql.length; index++) {
    const char = sql[index]
    if (char === '(') depth++
    else if (char === ')' && --depth === 0) return index + 1
    else if (char === "'") {
      const close = endOfLiteral(sql, index)
      if (close !== -1) index = close - 1
    }
  }
  return sql.length
}

function literals(sql: string, onReplace: (kind: string) => void): string {
  let out = ''
  let copied = 0
  for (let at = sql.indexOf("'"); at !== -1; at = sql.indexOf("'", at)) {
    const end = endOfLiteral(sql, at)
    if (end === -1) break
    onReplace('quoted_str')
    out += `${sql.slice(copied, at)}<quoted_str>`
    copied = end
    at = end
  }
  return out + sql.slice(copied)
}

/** After the closing quote, where two quotes are one character of the literal; -1 without one. */
function endOfLiteral(sql: string, open: number): number {
  for (let close = sql.indexOf("'", open + 1); close !== -1; close = sql.indexOf("'", close + 2)) {
    if (sql[close + 1] !== "'") return close + 1
  }
  return -1
}
