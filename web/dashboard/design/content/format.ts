/** Numbers, shares, durations, sizes and times as text, in English and in local time. */

/**
 * Making a formatter costs more than a hundred uses of it, and a phone some 10 ms: each is made
 * when it is needed first. `toLocaleString` makes one each time.
 */
function madeOnce<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

const numbers = (options?: Intl.NumberFormatOptions) =>
  madeOnce(() => new Intl.NumberFormat('en', options))
const times = (options: Intl.DateTimeFormatOptions) =>
  madeOnce(() => new Intl.DateTimeFormat('en-GB', options))

const grouped = numbers()
const byDigits = [0, 1, 2].map((digits) => numbers({ maximumFractionDigits: digits }))
const compact = numbers({ notation: 'compact', maximumFractionDigits: 1 })

/** 12,345 */
export function formatNumber(value: number): string {
  return grouped().format(value)
}

/** 1,234.5, with at most so many digits after the point. */
function roundTo(value: number, digits: number): string {
  return (byDigits[digits] ?? grouped)().format(value)
}

/** 12.3K, for narrow columns; show `formatNumber` as its title. */
export function formatCompact(value: number): string {
  return Math.abs(value) < 10_000 ? grouped().format(value) : compact().format(value)
}

/** 99.95 %, without rounding up to 100. */
export function formatShare(share: number, digits = 1): string {
  const scale = 10 ** digits
  const percent = Math.floor(share * 100 * scale + 1e-9) / scale
  return `${roundTo(percent, digits)} %`
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1)
  const value = bytes / 1024 ** power
  return `${roundTo(value, value < 10 ? 1 : 0)} ${units[power]}`
}

/** 850 ms, 4.2 s, 3 min 5 s, 2 h 10 min, 4 d 3 h */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return '–'
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${roundTo(ms / 1_000, 1)} s`
  const steps = [
    [86_400_000, 'd', 3_600_000, 'h'],
    [3_600_000, 'h', 60_000, 'min'],
    [60_000, 'min', 1_000, 's'],
  ] as const
  const [large, largeName, small, smallName] = steps.find(([size]) => ms >= size)!
  const whole = Math.floor(ms / large)
  const rest = Math.floor((ms % large) / small)
  return rest === 0 ? `${whole} ${largeName}` : `${whole} ${largeName} ${rest} ${smallName}`
}

const exact = times({ dateStyle: 'medium', timeStyle: 'long' })
const day = times({ day: 'numeric', month: 'short' })
const clock = times({ timeStyle: 'short' })
const dayOfYear = times({ day: 'numeric', month: 'short', year: 'numeric' })

/** 23 Nov 2026, 15:04:05 UTC+1 */
export function formatExact(time: string | number | Date): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? String(time) : exact().format(date)
}

/** 15:04 */
export function formatClock(time: string | number | Date): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? String(time) : clock().format(date)
}

export function formatDay(time: string | number | Date): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return String(time)
  const isThisYear = date.getFullYear() === new Date().getFullYear()
  return (isThisYear ? day : dayOfYear)().format(date)
}

/** now, 5 min ago, 3 h ago, 6 d ago, then the day; in 5 min for the future. */
export function formatRelative(time: string | number | Date, nowMs: number): string {
  const atMs = new Date(time).getTime()
  if (Number.isNaN(atMs)) return String(time)
  const ms = nowMs - atMs
  const size = Math.abs(ms)
  if (size < 45_000) return 'now'
  const text =
    size < 3_600_000
      ? `${Math.max(1, Math.round(size / 60_000))} min`
      : size < 86_400_000
        ? `${Math.round(size / 3_600_000)} h`
        : size < 14 * 86_400_000
          ? `${Math.round(size / 86_400_000)} d`
          : undefined
  if (text === undefined) return formatDay(atMs)
  return ms < 0 ? `in ${text}` : `${text} ago`
}

/** `1 event`, `2 events`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}
