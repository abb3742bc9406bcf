/** What a comparison of two releases says, in one sentence. */
import { countOf, formatNumber } from '../../../design/content/format.ts'
import type { ReleaseComparison } from './compare-request.ts'

export interface Difference {
  readonly text: string
  readonly tone: 'better' | 'worse' | 'same'
}

/** In percentage points; a difference that rounds to 0.00 is none. */
export function healthDifference(difference: number | null): Difference | undefined {
  if (difference === null) return undefined
  const points = Math.round(difference * 10_000) / 100
  if (points === 0) return { text: 'no difference', tone: 'same' }
  const text = `${points > 0 ? '+' : '−'}${Math.abs(points)} points`
  return { text, tone: points > 0 ? 'better' : 'worse' }
}

export function differenceWords(comparison: ReleaseComparison): string {
  const { base, head, new_issues, absent_issues } = comparison
  const health = healthDifference(comparison.crash_free_sessions_difference)
  const crash =
    health === undefined
      ? 'Their crash-free rates cannot be compared, because one has no sessions'
      : health.tone === 'same'
        ? `${head.version} is as crash-free as ${base.version}`
        : `${head.version} is ${health.tone} than ${base.version}: ${health.text} of crash-free sessions`
  const added = `${countOf(new_issues.count, 'issue')} only in ${head.version}`
  const issues = `${added}, ${formatNumber(absent_issues.count)} only in ${base.version}`
  return `${crash}; ${issues}.`
}
