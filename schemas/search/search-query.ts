/**
 * The query language of issues and events: `level:error !environment:dev (url:*checkout* OR
 * times_seen:>100) "free text"`. A term is a field with a value, or text. Terms side by side must
 * all match. This file parses only; the meaning of fields is defined where they are searched.
 *
 *   query     all ('OR' all)*              separated by white space
 *   all       ('AND'? term)*               AND binds closer than OR
 *   term      '!'? ('(' query ')' | field ':' value | text)
 *   field     letters, digits, '_', '.', '-', or tags[any name]
 *   value     operator? (word | quoted | '[' word or quoted, … ']')
 *   operator  '>' '>=' '<' '<=' '='
 *   word      everything up to white space; '*' matches any text, '\*' a star
 *   quoted    '"' … '"' with '\"' and '\\'; a '*' in it matches any text, too
 *
 * Consecutive words of free text are one text, as they were written. A parenthesis groups only
 * where a term begins; `pay()` is a word, and inside a group a word ends at a `)` that closes none
 * of its own.
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

/** Several nodes of which all or one must match, as it was written in parentheses or beside OR. */
export interface SearchGroup {
  readonly kind: 'and' | 'or'
  /** At least two. */
  readonly nodes: readonly SearchNode[]
  readonly isNegated: boolean
  readonly position: number
  readonly end: number
}

export type SearchNode = SearchTerm | SearchGroup

export interface SearchError {
  readonly kind: 'error'
  readonly position: number
  /** The index behind the last wrong character; `position` if something is missing there. */
  readonly end: number
  readonly rule: string
}

export type SearchQuery =
  /** All terms must match. A query with an OR outside of parentheses is one group. */
  { readonly kind: 'query'; readonly terms: readonly SearchNode[] } | SearchError

// Values travel in the URL of ClickHouse's requests, beside an issue's hashes (hashesPerIssueMax),
// and some servers end a request's head at 16 KiB: the query may take a third of that.
export const queryBytesMax = 1_000
const termsMax = 30
const valuesMax = 100
/** Parentheses in parentheses. */
const depthMax = 8
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

/** All terms of the nodes, in their order. */
export function termsIn(nodes: readonly SearchNode[]): readonly SearchTerm[] {
  return nodes.flatMap((node) => ('nodes' in node ? termsIn(node.nodes) : [node]))
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
  if (text[position] === '(' || text[position] === ')') return position + 1
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

  terms(): readonly SearchNode[] {
    const { read } = encoder.encodeInto(this.#text, new Uint8Array(queryBytesMax))
    if (read < this.#text.length) {
      throw new UsageError(read, `must have at most ${queryBytesMax} bytes in UTF-8`)
    }
    this.#match(spaceAt)
    const node = this.#alternatives()
    if (node === undefined) return []
    return node.kind === 'and' && !node.isNegated ? node.nodes : [node]
  }

  /** The number of values in all lists. */
  #listed = 0
  #terms = 0
  /** Parentheses that are open. */
  #depth = 0

  /** Reads up to the end, or to the `)` of the open group. Undefined if there is nothing. */
  #alternatives(): SearchNode | undefined {
    const alternatives: SearchNode[] = []
    for (;;) {
      const all = this.#all()
      const [first] = all
      const at = this.#at
      const isOr = this.#keyword('OR')
      if (first === undefined) {
        if (alternatives.length === 0 && !isOr) return undefined
        throw new UsageError(at, 'must have a term on both sides of OR')
      }
      // (a OR b) OR c has three alternatives.
      const node = groupOf('and', all)
      if (node.kind === 'or' && !node.isNegated) alternatives.push(...node.nodes)
      else alternatives.push(node)
      if (!isOr) return groupOf('or', alternatives)
    }
  }

  #all(): SearchNode[] {
    const nodes: SearchNode[] = []
    let joins = false
    let textEnd = 0
    let isAfterAnd = false
    while (this.#at < this.#text.length && !this.#isAtEnd()) {
      const at = this.#at
      if (this.#keyword('AND')) {
        if (nodes.length === 0 || isAfterAnd) {
          throw new UsageError(at, 'must have a term on both sides of AND')
        }
        isAfterAnd = true
        joins = false
        continue
      }
      const before = nodes.at(-1)
      const node = this.#node()
      const isBare = node.kind === 'text' && this.#isBare
      // One text, including the white space between its words.
      if (isBare && node.kind === 'text' && before?.kind === 'text' && !node.isNegated && joins) {
        const gap = this.#text.slice(textEnd, node.position)
        nodes[nodes.length - 1] = { ...before, text: before.text + gap + node.text, end: node.end }
        this.#terms -= 1
      } else if (node.kind === 'and' && !node.isNegated) nodes.push(...node.nodes)
      else nodes.push(node)
      if (this.#terms > termsMax) {
        throw new UsageError(node.position, `must have at most ${termsMax} terms`)
      }
      isAfterAnd = false
      joins = isBare
      textEnd = this.#at
      this.#match(spaceAt)
    }
    if (isAfterAnd) throw new UsageError(this.#at, 'must have a term on both sides of AND')
    return nodes
  }

  #isBare = false

  /** Before an OR, or the `)` of the open group. */
  #isAtEnd(): boolean {
    if (this.#text[this.#at] === ')') {
      if (this.#depth === 0) throw new UsageError(this.#at, 'must open each ) with a (')
      return true
    }
    return this.#isKeyword('OR')
  }

  #isKeyword(word: 'OR' | 'AND'): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false
    const next = this.#text[this.#at + word.length] ?? ' '
    return /[\s(]/.test(next) || (next === ')' && this.#depth > 0)
  }

  #keyword(word: 'OR' | 'AND'): boolean {
    if (!this.#isKeyword(word)) return false
    this.#at += word.length
    this.#match(spaceAt)
    return true
  }

  #node(): SearchNode {
    const position = this.#at
    const isNegated = this.#text[position] === '!' && /\S/.test(this.#text[position + 1] ?? '')
    if (isNegated) this.#at += 1
    const isGroup = this.#text[this.#at] === '(' && this.#text[this.#at + 1] !== ')'
    return isGroup ? this.#group(position, isNegated) : this.#term(position, isNegated)
  }

  #group(position: number, isNegated: boolean): SearchNode {
    const open = this.#at
    if (this.#depth === depthMax) {
      throw new UsageError(open, `must have at most ${depthMax} parentheses in each other`)
    }
    this.#depth += 1
    this.#at += 1
    this.#match(spaceAt)
    const node = this.#alternatives()
    if (this.#text[this.#at] !== ')') throw new UsageError(open, 'must close each ( with a )')
    if (node === undefined) throw new UsageError(open, 'must have a term in each ( )')
    this.#at += 1
    this.#depth -= 1
    const next = this.#text[this.#at] ?? ''
    if (/\S/.test(next) && next !== ')') {
      throw new UsageError(this.#at, 'must have white space after a )')
    }
    this.#isBare = false
    const grouped = 'nodes' in node ? { ...node, position, end: this.#at } : node
    return isNegated ? { ...grouped, isNegated: !grouped.isNegated } : grouped
  }

  #term(position: number, isNegated: boolean): SearchTerm {
    this.#terms += 1
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
    if (!this.#isBehind()) {
      throw new UsageError(this.#at, 'must have white space after a list')
    }
    return values
  }

  #value(end?: RegExp): SearchPattern {
    if (this.#text[this.#at] !== '"') return patternOf(this.#word(end))
    const start = this.#at
    const value = this.#quoted()
    const next = this.#text[this.#at] ?? ''
    if (!this.#isBehind() && end?.test(next) !== true) {
      throw new UsageError(start, 'must have white space after a quoted text')
    }
    return patternOf(value)
  }

  /** Behind a term: before white space, the end, or the `)` of the open group. */
  #isBehind(): boolean {
    const next = this.#text[this.#at] ?? ' '
    return /\s/.test(next) || (next === ')' && this.#depth > 0)
  }

  #word(end = /\s/): string {
    const start = this.#at
    let open = 0
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at]!
      if (end.test(character)) break
      if (character === '(') open += 1
      if (character === ')') {
        if (open === 0 && this.#depth > 0) break
        open = Math.max(0, open - 1)
      }
      this.#at += 1
    }
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

function groupOf(kind: SearchGroup['kind'], nodes: readonly SearchNode[]): SearchNode {
  const [first] = nodes
  if (nodes.length === 1 && first !== undefined) return first
  const position = first?.position ?? 0
  return { kind, nodes, isNegated: false, position, end: nodes.at(-1)?.end ?? position }
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
