/** Reads the tokens of one statement from left to right. */
import type { Token } from './read-statements.ts'

const textCharactersMax = 80

export class TokenReader {
  readonly tokens: readonly Token[]
  at = 0

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens
  }

  /** Advances over these words or signs, if they come next. `a|b` is one of two. */
  accept(phrase: string): boolean {
    const wanted = phrase.split(' ')
    const fits = wanted.every((one, index) => {
      const token = this.tokens[this.at + index]
      return token !== undefined && isPlain(token) && one.split('|').includes(token.value)
    })
    if (fits) this.at += wanted.length
    return fits
  }

  /** A name with its schema, in the form `schema.name` unless the schema is `public`. */
  name(): string | undefined {
    const first = this.#part()
    if (first === undefined) return undefined
    let name = first
    while (this.accept('.')) name += `.${this.#part() ?? ''}`
    return name.replace(/^public\./, '')
  }

  /** The tokens up to the parenthesis that closes the one that comes next. */
  parenthesized(): Token[] {
    if (!this.accept('(')) return []
    const from = this.at
    for (let depth = 1; this.at < this.tokens.length; this.at += 1) {
      depth += depthOf(this.tokens[this.at]!)
      if (depth === 0) break
    }
    this.at += 1
    return this.tokens.slice(from, this.at - 1)
  }

  /** The rest, split at the commas that are not in parentheses. */
  list(): Token[][] {
    return splitList(this.tokens.slice(this.at))
  }

  rest(): readonly Token[] {
    return this.tokens.slice(this.at)
  }

  /** The start of the statement, for a message. */
  text(): string {
    const words = this.tokens.map(({ value }) => value)
    return words.join(' ').slice(0, textCharactersMax)
  }

  #part(): string | undefined {
    const token = this.tokens[this.at]
    if (token === undefined || (token.kind !== 'word' && token.kind !== 'name')) return undefined
    this.at += 1
    return token.value
  }
}

export function splitList(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]]
  let depth = 0
  for (const token of tokens) {
    depth += depthOf(token)
    if (depth === 0 && token.kind === 'sign' && token.value === ',') parts.push([])
    else parts.at(-1)!.push(token)
  }
  return parts.filter((part) => part.length > 0)
}

/** Whether these words follow one another, outside of strings and quoted names. */
export function hasPhrase(tokens: readonly Token[], phrase: string): boolean {
  return tokens.some((_, at) => {
    const reader = new TokenReader(tokens.slice(at))
    return reader.accept(phrase)
  })
}

function isPlain({ kind }: Token): boolean {
  return kind === 'word' || kind === 'sign'
}

function depthOf({ kind, value }: Token): number {
  if (kind !== 'sign') return 0
  return value === '(' || value === '[' ? 1 : value === ')' || value === ']' ? -1 : 0
}
