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
