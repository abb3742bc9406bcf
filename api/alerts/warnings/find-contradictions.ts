/** Finds parts of `if` that no event can meet together. */
import type { AlertFilter, AlertWarning } from '#schemas/rest/alerts/alert.ts'
import { plainText, type SearchNode } from '#schemas/search/search-query.ts'
import { canOverlap, exactly, type Glob, globOf, isCovered, overlapCost } from './glob-overlap.ts'

/** One part of `if`: the value of `name` must match one of `values`, or none of them. */
interface Part {
  readonly field: string
  readonly name: string
  readonly values: readonly Glob[]
  readonly isNegated: boolean
  readonly text: string
}

export function findContradictions(
  filter: AlertFilter,
  terms: readonly SearchNode[],
): AlertWarning[] {
  const parts = [...partsOfFilter(filter), ...terms.flatMap(partOfTerm)]
  const found: AlertWarning[] = []
  let steps = 0
  for (const [index, part] of parts.entries()) {
    const other = parts.slice(0, index).find((before) => {
      if (before.name !== part.name) return false
      steps += costOf(before, part)
      return steps <= stepsMax && excludeEachOther(before, part)
    })
    if (other === undefined) continue
    const rule = `no event can match, because ${part.text} excludes ${other.text}`
    found.push({ field: part.field, rule })
  }
  return found
}

function partsOfFilter(filter: AlertFilter): Part[] {
  const listed = (['environment', 'level', 'component', 'release'] as const).flatMap((name) => {
    const values = filter[name]
    if (values === undefined) return []
    const isGlob = name === 'release'
    const globs = values.map((value) => (isGlob ? globOf(value) : exactly(value)))
    return [{ field: `if.${name}`, name, values: globs, isNegated: false, text: `if.${name}` }]
  })
  const tags = Object.entries(filter.tags ?? {}).map(([key, values]) => ({
    field: `if.tags.${key}`,
    name: `tags[${key}]`,
    values: values.map(globOf),
    isNegated: false,
    text: `if.tags.${key}`,
  }))
  return [...listed, ...tags]
}

/** Fields that an event has once. A field of another name is a tag. */
const columns: ReadonlySet<string> = new Set([
  'environment',
  'level',
  'component',
  'release',
  'dist',
  'platform',
  'logger',
  'server_name',
  'transaction',
])
/** Fields whose values are compared in another way, or that mean several columns. */
const ignored =
  /^(?:has|id|timestamp|received|title|message|culprit|url|user|trace|sdk|user\..*|error\..*|http\..*|os\..*|browser\..*|device\..*|runtime\..*)$/

function partOfTerm(term: SearchNode): Part[] {
  // An OR leaves other ways to match.
  if (term.kind !== 'field') return []
  const field = 'if.query'
  if (term.field === 'has' && !term.isTag) {
    const [value] = term.values
    const name = value && plainText(value)
    if (name === undefined || !term.isNegated) return []
    const about = columns.has(name) ? name : `tags[${name}]`
    return [{ field, name: about, values: [['', '']], isNegated: true, text: `!has:${name}` }]
  }
  if (term.operator !== '=' || (!term.isTag && ignored.test(term.field))) return []
  const name = !term.isTag && columns.has(term.field) ? term.field : `tags[${term.field}]`
  const values = term.values.map(({ pieces }) => pieces)
  const shown = values.map((pieces) => pieces.join('*')).join(', ')
  const text = `${term.isNegated ? '!' : ''}${term.field}:${values.length > 1 ? `[${shown}]` : shown}`
  return [{ field, name, values, isNegated: term.isNegated, text }]
}

/** A rule with more and longer globs is not examined further: each rule of a list is. */
const stepsMax = 1_000_000

function costOf(a: Part, b: Part): number {
  let cost = 0
  for (const left of a.values) for (const right of b.values) cost += overlapCost(left, right)
  return cost
}

function excludeEachOther(a: Part, b: Part): boolean {
  if (a.name !== b.name || (a.isNegated && b.isNegated)) return false
  if (a.isNegated) return excludeEachOther(b, a)
  return b.isNegated
    ? a.values.every((value) => b.values.some((outer) => isCovered(value, outer)))
    : !a.values.some((value) => b.values.some((other) => canOverlap(value, other)))
}
