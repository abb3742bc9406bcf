/**
 * A window is counted in steps of at least a minute, at most sixty to a window. The step in which
 * it begins counts in proportion.
 */
const stepsPerWindow = 60
const stepSecondsMin = 60

export function stepSecondsOf(windowSeconds: number): number {
  const minutes = Math.ceil(windowSeconds / stepsPerWindow / stepSecondsMin)
  return Math.max(1, minutes) * stepSecondsMin
}

export function formatWindow(seconds: number): string {
  const units = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
    [1, 'second'],
  ] as const
  const [size, name] = units.find(([unit]) => seconds % unit === 0) ?? [1, 'second']
  const count = seconds / size
  return count === 1 ? `1 ${name}` : `${count} ${name}s`
}
