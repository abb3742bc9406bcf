import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseSearch, queryBytesMax, type SearchNode, type SearchPattern } from './search-query.ts'

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

type Meaning =
  | { kind: 'text'; text: string; isNegated: boolean }
  | {
      kind: 'field'
      field: string
      isTag: boolean
      isNegated: boolean
      operator: string
      values: readonly SearchPattern[]
    }
  | { kind: 'and' | 'or'; nodes: readonly Meaning[]; isNegated: boolean }

const node = fc.letrec<{ node: Meaning }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fieldTerm,
    textTerm,
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      nodes: fc.array(tie('node'), { minLength: 2, maxLength: 3 }),
      isNegated: fc.boolean(),
    }),
  ),
})).node

/** Groups without a negation in a group of the same kind are part of it. */
function flat(node: Meaning): Meaning {
  if (node.kind === 'text' || node.kind === 'field') return node
  const nodes = node.nodes.map(flat)
  return { ...node, nodes: nodes.flatMap((each) => nodesIn(each, node.kind)) }
}

function nodesIn(node: Meaning, kind: 'and' | 'or'): readonly Meaning[] {
  return node.kind === kind && !node.isNegated && 'nodes' in node ? node.nodes : [node]
}

function countOf(node: Meaning): number {
  return 'nodes' in node ? node.nodes.reduce((sum, each) => sum + countOf(each), 0) : 1
}

/** Without where it stands. */
function meaningOf(node: SearchNode): Meaning {
  const { isNegated } = node
  if (node.kind === 'text') return { kind: node.kind, text: node.text, isNegated }
  if (node.kind !== 'field') {
    return { kind: node.kind, nodes: node.nodes.map(meaningOf), isNegated }
  }
  const { kind, field, isTag, operator, values } = node
  return { kind, field, isTag, isNegated, operator, values }
}

test('a printed search is parsed as the same search', () => {
  const nodes = fc
    .array(node, { maxLength: 4 })
    .filter((all) => all.reduce((sum, each) => sum + countOf(each), 0) <= 30)
  fc.assert(
    fc.property(nodes, (written) => {
      const text = written.map(printNode).join(' ')
      if (Buffer.byteLength(text) > queryBytesMax) return
      const query = parseSearch(text)
      if (query.kind === 'error') throw new Error(`${query.position}: ${query.rule} in ${text}`)
      const meant = written.map(flat).flatMap((each) => nodesIn(each, 'and'))
      expect(query.terms.map(meaningOf)).toEqual(meant)
    }),
    { seed: 5, numRuns: 2_000 },
  )
})

function printNode(node: Meaning): string {
  const negation = node.isNegated ? '!' : ''
  // A text has no stars of its own, only their signs.
  if (node.kind === 'text') return `${negation}"${escapeQuotes(escapeStars(node.text))}"`
  if (node.kind !== 'field') {
    return `${negation}(${node.nodes.map(printNode).join(node.kind === 'or' ? ' OR ' : ' ')})`
  }
  const field = node.isTag ? `tags[${node.field}]` : node.field
  const values = node.values.map(printValue)
  const value = values.length === 1 ? values[0] : `[${values.join(', ')}]`
  return `${negation}${field}:${node.operator === '=' ? '' : node.operator}${value}`
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
