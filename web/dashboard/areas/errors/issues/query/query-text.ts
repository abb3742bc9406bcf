/**
 * The terms of a search while it is being typed. Unlike the parser of the API this one accepts
 * everything: it finds where terms, fields and values begin and end, for completion, for the quick
 * filters, and for marking errors. The API decides what is valid.
 */

export interface QueryTerm {
  /** Undefined for text. The name in tags[name], too. */
  readonly field: string | undefined
  readonly isTag: boolean
  readonly isNegated: boolean
  readonly start: number
  readonly end: number
  /** Where the value begins, after the colon. For text: where it begins, after a `!`. */
  readonly valueStart: number
  /** How many groups it is in. */
  readonly depth: number
  /** `AND` or `OR`, which is no term of its own. */
  readonly isJoint: boolean
}

const fieldAt = /(?:tags\[([^\]\s]+)\]|([\p{L}\p{N}_][\p{L}\p{N}_.-]*)):(?!\/\/)/uy

export function termsOf(query: string): readonly QueryTerm[] {
  const terms: QueryTerm[] = []
  let at = 0
  let depth = 0
  while (at < query.length) {
    if (/\s/.test(query[at] ?? '')) {
      at += 1
      continue
    }
    if (query[at] === ')' && depth > 0) {
      depth -= 1
      at += 1
      continue
    }
    const open = /^!?\((?!\))/.exec(query.slice(at, at + 3))
    if (open !== null) {
      depth += 1
      at += open[0].length
      continue
    }
    const start = at
    const isNegated = query[at] === '!' && /\S/.test(query[at + 1] ?? '')
    if (isNegated) at += 1
    fieldAt.lastIndex = at
    const found = fieldAt.exec(query)
    if (found !== null) at = fieldAt.lastIndex
    const valueStart = at
    at = endOfValue(query, at, { isField: found !== null, isInGroup: depth > 0 })
    const [, tag, name] = found ?? []
    terms.push({
      field: tag ?? name,
      isTag: tag !== undefined,
      isNegated,
      start,
      end: at,
      valueStart,
      depth,
      isJoint: /^(?:AND|OR)$/.test(query.slice(start, at)),
    })
  }
  return terms
}

/** The values of a term without quotes, escapes and operator. */
export function valuesOf(query: string, term: QueryTerm): readonly string[] {
  const text = query.slice(term.valueStart, term.end).replace(/^(?:>=|<=|>|<|=)/, '')
  if (!text.startsWith('[')) return [unquote(text)]
  const values: string[] = []
  let at = 1
  while (at < text.length && text[at] !== ']') {
    const end = endOfItem(text, at)
    const value = text.slice(at, end).trim()
    if (value !== '') values.push(unquote(value))
    at = text[end] === ',' ? end + 1 : end
    if (text[end] !== ',') break
  }
  return values
}

/** A value as it is written in a query: `Internet Explorer` needs quotes, a star a backslash. */
export function quoteValue(value: string): string {
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('*', '\\*')
  const isPlain = value !== '' && !/[\s"[\],]/.test(value) && !/^[<>=]/.test(value)
  return isPlain ? escaped : `"${escaped.replaceAll('"', '\\"')}"`
}

/** The name of a field or tag as it is written in a query. */
export function quoteField(name: string, isTagLikeField: boolean): string {
  const isPlain = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(name)
  return isTagLikeField || !isPlain ? `tags[${name}]` : name
}

/** The end of the item of a list that begins at `at`: its comma, its bracket, or the end. */
export function endOfItem(text: string, at: number): number {
  let end = at
  while (/\s/.test(text[end] ?? '')) end += 1
  if (text[end] === '"') end = endOfQuoted(text, end)
  while (end < text.length && text[end] !== ',' && text[end] !== ']') end += 1
  return end
}

function endOfValue(
  query: string,
  start: number,
  { isField, isInGroup }: { readonly isField: boolean; readonly isInGroup: boolean },
): number {
  let at = start
  if (isField) {
    const operator = /^(?:>=|<=|>|<|=)/.exec(query.slice(at, at + 2))
    at += operator?.[0].length ?? 0
  }
  if (query[at] === '"') return endOfQuoted(query, at)
  if (isField && query[at] === '[') {
    at += 1
    while (at < query.length && query[at] !== ']') {
      at = endOfItem(query, at)
      if (query[at] === ',') at += 1
    }
    return Math.min(at + 1, query.length)
  }
  let open = 0
  while (at < query.length && /\S/.test(query[at] ?? '')) {
    if (query[at] === '(') open += 1
    // The end of the group, as the API reads it.
    if (query[at] === ')' && open === 0 && isInGroup) break
    if (query[at] === ')') open = Math.max(0, open - 1)
    at += 1
  }
  return at
}

function endOfQuoted(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '"') return at + 1
  }
  return text.length
}

function unquote(text: string): string {
  const isQuoted = text.startsWith('"')
  const inner = isQuoted
    ? text.slice(1, text.endsWith('"') && text.length > 1 ? -1 : undefined)
    : text
  return inner.replace(isQuoted ? /\\(["*\\])/g : /\\([*\\])/g, '$1')
}
