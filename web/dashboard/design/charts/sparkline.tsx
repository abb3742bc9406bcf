import { countOf } from '../content/format.ts'
import '../css/charts.css'

/** Bars of a short series. Screen readers get its sum and its largest value. */
export function Sparkline({
  values,
  unit = 'event',
  width = 96,
  height = 24,
}: {
  readonly values: readonly number[]
  readonly unit?: string
  readonly width?: number
  readonly height?: number
}) {
  const max = Math.max(1, ...values)
  const sum = values.reduce((total, value) => total + value, 0)
  const step = width / Math.max(1, values.length)
  const label = `${countOf(sum, unit)}, at most ${countOf(max === 1 && sum === 0 ? 0 : max, unit)}`
  return (
    <svg class="sparkline" width={width} height={height} role="img" aria-label={label}>
      {values.map((value, index) => {
        const bar = value === 0 ? 1 : Math.max(2, (value / max) * (height - 2))
        return (
          <rect
            key={index}
            class={value === 0 ? 'sparkline-zero' : 'sparkline-bar'}
            x={index * step}
            y={height - bar}
            width={Math.max(1, step - 1)}
            height={bar}
            rx={0.5}
          />
        )
      })}
    </svg>
  )
}
