/**
 * The query language of issues and events: `level:error !environment:dev url:*checkout*
 * times_seen:>100 "free text"`. A term is a field with a value, or text; all terms must match. This
 * file parses only; the meaning of fields is defined where they are searched.
 *
 *   query     term*                        separated by white space
 *   term      '!'? (field ':' value | text)
 *   field     letters, digits, '_', '.', '-', or tags[any name]
 *   value     operator? (word | quoted | '[' word or quoted, … ']')
 *   operator  '>' '>=' '<' '<=' '='
 *   word      everything up to white space; '*' matches any text, '\*' a star
 *   quoted    '"' … '"' with '\"' and '\\'; a '*' in it matches any text, too
 *
 * Consecutive words of free text are one text, as they were written.
 */

export type SearchOperator = '=' | '>' | '>=' | '<' | '<='

/** A value, split at its stars. With one piece it has no star. */
export interface SearchPattern {
  readonly pieces: readonly string[]
}

export interface TextTerm {
  readonly kind: 'text'
  readonly text: string
  readonly isNegated: boolean
  /** The index of its first character in the query. */
  readonly position: number
  /** The index behind its last character. */
  readonly end: number
}

export interface FieldTerm {
  readonly kind: 'field'
  readonly field: string
  /** Written as tags[field]: a tag, even if events have a field of that name. */
  readonly isTag: boolean
  readonly operator: SearchOperator
  /** At least one value; one of them must match. */
  readonly values: readonly SearchPattern[]
  readonly isNegated: boolean
  readonly position: number
  readonly valuePosition: number
  readonly end: number
}

export type SearchTerm = TextTerm | FieldTerm

export interface SearchError {
  readonly kind: 'error'
  readonly position: number
  /** The index behind the last wrong character; `position` if something is missing there. */
  readonly end: number
  readonly rule: string
}

export type SearchQuery =
  | { readonly kind: 'query'; readonly terms: readonly SearchTerm[] }
  | SearchError

// Values travel in the URL of ClickHouse's requests, beside an issue's hashes (hashesPerIssueMax),
// and some servers end a request's head at 16 KiB: the query may take a third of that.
export const queryBytesMax = 1_000
const termsMax = 30
const valuesMax = 100
const encoder = new TextEncoder()

export function parseSearch(text: string): SearchQuery {
  const reader = new QueryReader(text)
  try {
    return { kind: 'query', terms: reader.terms() }
  } catch (error) {
    if (error instanceof UsageError) {
      const { position, rule } = error
      return { kind: 'error', position, end: endOfError(text, position), rule }
    }
    throw error
  }
}

/** The value as one text, if it has no star. */
export function plainText({ pieces }: SearchPattern): string | undefined {
  return pieces.length === 1 ? pieces[0] : undefined
}

/** Ends parsing; it never leaves this file. */
class UsageError extends Error {
  readonly position: number
  readonly rule: string

  constructor(position: number, rule: string) {
    super(rule)
    this.position = position
    this.rule = rule
  }
}

/** A quoted text and a list are wrong up to their end, and anything else up to white space. */
function endOfError(text: string, position: number): number {
  const closing = { '"': '"', '[': ']' }[text[position] ?? '']
  const end = closing === undefined ? -1 : text.indexOf(closing, position + 1) + 1
  if (closing !== undefined) return end === 0 ? text.length : end
  const length = text.slice(position).search(/\s/)
  return length === -1 ? text.length : position + length
}

const fieldAt = /(?:tags\[([^\]\s]{1,200})\]|([\p{L}\p{N}_][\p{L}\p{N}_.-]{0,199})):(?!\/\/)/uy
const operatorAt = />=|<=|>|<|=/y
const spaceAt = /\s*/y

class QueryReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  terms(): SearchTerm[] {
    const { read } = encoder.encodeInto(this.#text, new Uint8Array(queryBytesMax))
    if (read < this.#text.length) {
      throw new UsageError(read, `must have at most ${queryBytesMax} bytes in UTF-8`)
    }
    const terms: SearchTerm[] = []
    this.#match(spaceAt)
    while (this.#at < this.#text.length) {
      const before = terms.at(-1)
      const term = this.#term()
      // One text, including the white space between its words.
      if (term.kind === 'text' && before?.kind === 'text' && !term.isNegated && this.#joins) {
        const gap = this.#text.slice(this.#textEnd, term.position)
        terms[terms.length - 1] = { ...before, text: before.text + gap + term.text, end: term.end }
      } else {
        if (terms.length === termsMax) {
          throw new UsageError(term.position, `must have at most ${termsMax} terms`)
        }
        terms.push(term)
      }
      this.#joins = term.kind === 'text' && this.#isBare
      this.#textEnd = this.#at
      this.#match(spaceAt)
    }
    return terms
  }

  /** The previous term was a word of text, which the next word continues. */
  #joins = false
  #isBare = false
  #textEnd = 0
  /** The number of values in all lists. */
  #listed = 0

  #term(): SearchTerm {
    const position = this.#at
    const isNegated = this.#text[position] === '!' && /\S/.test(this.#text[position + 1] ?? '')
    if (isNegated) this.#at += 1
    const field = this.#match(fieldAt)
    if (field !== undefined) {
      const [, tag, name = ''] = field
      return this.#field({ field: tag ?? name, isTag: tag !== undefined, isNegated, position })
    }
    this.#isBare = this.#text[this.#at] !== '"'
    const text = this.#isBare ? this.#word() : patternOf(this.#quoted()).pieces.join('*')
    if (text.trim() === '')
      throw new UsageError(position, 'must have a text of at least one character')
    return { kind: 'text', text, isNegated, position, end: this.#at }
  }

  #field(head: Pick<FieldTerm, 'field' | 'isTag' | 'isNegated' | 'position'>): FieldTerm {
    const valuePosition = this.#at
    const [operator = '='] = this.#match(operatorAt) ?? []
    const values = this.#text[this.#at] === '[' ? this.#list() : [this.#value()]
    if (values.some(({ pieces }) => pieces.every((piece) => piece === '') && pieces.length === 1)) {
      throw new UsageError(valuePosition, `must have a value after ${head.field}:`)
    }
    return {
      ...head,
      kind: 'field',
      operator: operator as SearchOperator,
      values,
      valuePosition,
      end: this.#at,
    }
  }

  #list(): SearchPattern[] {
    const start = this.#at
    const values: SearchPattern[] = []
    do {
      this.#at += 1
      this.#match(spaceAt)
      values.push(this.#value(/[\s,\]]/))
      this.#match(spaceAt)
      this.#listed += 1
      if (this.#listed > valuesMax) {
        throw new UsageError(start, `must list at most ${valuesMax} values`)
      }
    } while (this.#text[this.#at] === ',')
    if (this.#text[this.#at] !== ']') throw new UsageError(start, 'must close each [ with a ]')
    this.#at += 1
    if (/\S/.test(this.#text[this.#at] ?? '')) {
      throw new UsageError(this.#at, 'must have white space after a list')
    }
    return values
  }

  #value(end?: RegExp): SearchPattern {
    if (this.#text[this.#at] !== '"') return patternOf(this.#word(end))
    const start = this.#at
    const value = this.#quoted()
    const next = this.#text[this.#at] ?? ''
    if (/\S/.test(next) && end?.test(next) !== true) {
      throw new UsageError(start, 'must have white space after a quoted text')
    }
    return patternOf(value)
  }

  #word(end = /\s/): string {
    const start = this.#at
    while (this.#at < this.#text.length && !end.test(this.#text[this.#at]!)) this.#at += 1
    return this.#text.slice(start, this.#at)
  }

  /** The text without its quotes and their escapes. Stars are kept. */
  #quoted(): string {
    const start = this.#at
    let text = ''
    for (let at = start + 1; at < this.#text.length; at += 1) {
      const character = this.#text[at]!
      if (character === '"') {
        this.#at = at + 1
        return text
      }
      const next = this.#text[at + 1]
      if (character === '\\' && next === '"') {
        at += 1
        text += '"'
      } else if (character === '\\' && (next === '\\' || next === '*')) {
        at += 1
        text += character + next
      } else {
        text += character
      }
    }
    throw new UsageError(start, 'must close each " with another one')
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found === null) return undefined
    this.#at = pattern.lastIndex
    return found
  }
}

function patternOf(text: string): SearchPattern {
  const pieces = ['']
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!
    const next = text[at + 1]
    if (character === '*') pieces.push('')
    else if (character === '\\' && (next === '*' || next === '\\')) {
      pieces[pieces.length - 1] += next
      at += 1
    } else pieces[pieces.length - 1] += character
  }
  return { pieces }
}
