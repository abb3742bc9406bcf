/**
 * The median item by `measure`; for an even number the lower one, so that it is always a measured
 * value.
 */
export function medianBy<T>(items: readonly [T, ...T[]], measure: (item: T) => number): T {
  const sorted = [...items].sort((left, right) => measure(left) - measure(right))
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? items[0]
}

export function median(values: readonly [number, ...number[]]): number {
  return medianBy(values, (value) => value)
}
