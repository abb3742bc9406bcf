import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseSearch, type SearchPattern, type SearchTerm } from './search-query.ts'

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
const word = fc.oneof(text, fc.constantFrom('"', '\\', '\\"', ']', ', ', '!a:b', '[x]', '>', "'--"))
const values = fc.array(
  fc
    .array(fc.oneof(word, fc.constant('')), { minLength: 1, maxLength: 3 })
    // An empty text is no value.
    .filter((pieces) => pieces.length > 1 || pieces[0] !== '')
    .map((pieces) => ({ pieces })),
  { minLength: 1, maxLength: 3 },
)
const fieldTerm = fc.record({
  kind: fc.constant('field' as const),
  field: fc.constantFrom('level', 'user.email', 'größe', 'a-b_c'),
  isTag: fc.boolean(),
  isNegated: fc.boolean(),
  operator: fc.constantFrom('=' as const, '>' as const, '>=' as const, '<' as const, '<=' as const),
  values,
})
const textTerm = fc.record({
  kind: fc.constant('text' as const),
  text: word.filter((each) => each.trim() !== '' && !each.includes('*')),
  isNegated: fc.boolean(),
})

/** Without where it stands. */
function meaningOf(term: SearchTerm) {
  if (term.kind === 'text') return { kind: term.kind, text: term.text, isNegated: term.isNegated }
  const { kind, field, isTag, isNegated, operator, values } = term
  return { kind, field, isTag, isNegated, operator, values }
}

test('a printed search is parsed as the same search', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fieldTerm, textTerm), { maxLength: 5 }), (terms) => {
      const placed = terms.map((term) => ({ ...term, position: 0, valuePosition: 0, end: 0 }))
      const query = parseSearch(printSearch(placed))
      if (query.kind === 'error') throw new Error(`${query.position}: ${query.rule}`)
      expect(query.terms.map(meaningOf)).toEqual(terms)
    }),
    { seed: 5, numRuns: 2_000 },
  )
})

function printSearch(terms: readonly SearchTerm[]): string {
  return terms.map(printTerm).join(' ')
}

function printTerm(term: SearchTerm): string {
  const negation = term.isNegated ? '!' : ''
  // A text has no stars of its own, only their signs.
  if (term.kind === 'text') return `${negation}"${escapeQuotes(escapeStars(term.text))}"`
  const field = term.isTag ? `tags[${term.field}]` : term.field
  const values = term.values.map(printValue)
  const value = values.length === 1 ? values[0] : `[${values.join(', ')}]`
  return `${negation}${field}:${term.operator === '=' ? '' : term.operator}${value}`
}

function printValue({ pieces }: SearchPattern): string {
  return `"${escapeQuotes(pieces.map(escapeStars).join('*'))}"`
}

function escapeStars(text: string): string {
  return text.replace(/[\\*]/g, '\\$&')
}

/** Backslashes stand before themselves and stars already. */
function escapeQuotes(text: string): string {
  return text.replaceAll('"', '\\"')
}
