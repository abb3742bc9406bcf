/** Below 99 percent a rate is marked as bad, below 99.5 as a warning. */
export function crashTone(rate: number | null): { readonly tone?: 'danger' | 'warning' } {
  if (rate === null || rate >= 0.995) return {}
  return { tone: rate < 0.99 ? 'danger' : 'warning' }
}
