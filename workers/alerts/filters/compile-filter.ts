/** The `if` of an alert rule as a function of one event. */
import type { AlertFilter } from '#schemas/rest/alerts/alert.ts'
import { compileQuery, type Matches, someMatches } from './compile-query.ts'
import { eventTexts, tagOf } from './event-text.ts'
import { compilePattern, globPattern, type TextMatcher } from './text-pattern.ts'

/**
 * A filter whose query no event can answer matches nothing. The API refuses such queries, so only
 * one that a later version has stored gets here.
 */
export function compileFilter(filter: AlertFilter): Matches {
  const conditions: Matches[] = []
  const isOneOf = (field: string, values: readonly string[] | undefined) => {
    if (values === undefined) return
    const read = eventTexts.get(field)!
    const wanted = new Set(values)
    conditions.push((grouped, budget) => {
      const text = read(grouped)
      budget.spend(text.length)
      return wanted.has(text)
    })
  }
  isOneOf('level', filter.level)
  isOneOf('environment', filter.environment)
  isOneOf('component', filter.component)
  if (filter.release !== undefined) {
    const globs = globsOf(filter.release)
    conditions.push(({ event }, budget) => someMatches(globs, event.release, budget))
  }
  for (const [key, values] of Object.entries(filter.tags ?? {})) {
    const globs = globsOf(values)
    conditions.push(({ event }, budget) => {
      budget.spend(event.tags.length)
      return someMatches(globs, tagOf(event, key) ?? '', budget)
    })
  }
  if (filter.query !== undefined && filter.query.trim() !== '') {
    const matches = compileQuery(filter.query)
    conditions.push(typeof matches === 'function' ? matches : () => false)
  }
  return (grouped, budget) => {
    budget.spend(1)
    return conditions.every((matches) => matches(grouped, budget))
  }
}

function globsOf(values: readonly string[]): readonly TextMatcher[] {
  return values.map((value) => compilePattern(globPattern(value)))
}
