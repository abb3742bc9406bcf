/** The span of time of a report, kept in the address: `?range=7d`. */
import { useMemo } from 'preact/hooks'
import { useSearchParams } from '../../../url/use-search-params.ts'
import './shared.css'

export interface TimeRange {
  readonly value: string
  readonly label: string
  readonly hours: number
  readonly interval: 'hour' | 'day'
}

const hourMs = 3_600_000

export const timeRanges: readonly TimeRange[] = [
  { value: '24h', label: '24 hours', hours: 24, interval: 'hour' },
  { value: '7d', label: '7 days', hours: 7 * 24, interval: 'hour' },
  { value: '30d', label: '30 days', hours: 30 * 24, interval: 'day' },
  { value: '90d', label: '90 days', hours: 90 * 24, interval: 'day' },
]

export interface ChosenRange extends TimeRange {
  /** Full hours or days ago, the same for as long as the page is open. */
  readonly since: string
}

export function useTimeRange(fallback = '24h'): ChosenRange {
  const { get } = useSearchParams()
  const value = get('range') ?? fallback
  return useMemo(() => {
    const range = timeRanges.find((one) => one.value === value) ?? timeRanges[0]!
    return { ...range, since: sinceOf(range, Date.now()) }
  }, [value])
}

/** The bucket that has just begun counts as the last one, so that `hours` buckets are shown. */
export function sinceOf(range: TimeRange, nowMs: number): string {
  const stepMs = range.interval === 'hour' ? hourMs : 24 * hourMs
  const last = Math.floor(nowMs / stepMs) * stepMs
  return new Date(last + stepMs - range.hours * hourMs).toISOString()
}

export function RangeChoice({ chosen }: { readonly chosen: TimeRange }) {
  const { set } = useSearchParams()
  return (
    <fieldset class="reports-ranges">
      <legend class="screen-reader">Time range</legend>
      {timeRanges.map(({ value, label }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === chosen.value}
          onClick={() => set({ range: value })}
        >
          {label}
        </button>
      ))}
    </fieldset>
  )
}
