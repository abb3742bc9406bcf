/** Numbers with units for people, at most eight characters wide. */
const none = '-'

export function bytesText(bytes: number | null): string {
  if (bytes === null || !Number.isFinite(bytes)) return none
  const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']
  let value = Math.max(0, bytes)
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${value >= 99.5 || unit === 0 ? value.toFixed(0) : value.toFixed(1)} ${units[unit]}`
}

export function durationText(seconds: number | null): string {
  if (seconds === null || !Number.isFinite(seconds)) return none
  const all = Math.abs(seconds)
  if (all < 9.95) return `${seconds.toFixed(1)} s`
  if (all < 120) return `${seconds.toFixed(0)} s`
  if (all < 7_200) return `${(seconds / 60).toFixed(0)} min`
  if (all < 172_800) return `${(seconds / 3600).toFixed(0)} h`
  return `${(seconds / 86_400).toFixed(0)} d`
}

export function countText(count: number | null): string {
  if (count === null || !Number.isFinite(count)) return none
  const digits = count !== 0 && Math.abs(count) < 9.95 && !Number.isInteger(count) ? 1 : 0
  return count.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
}

export function percentText(ratio: number | null): string {
  if (ratio === null || !Number.isFinite(ratio)) return none
  return `${(ratio * 100).toFixed(0)} %`
}
