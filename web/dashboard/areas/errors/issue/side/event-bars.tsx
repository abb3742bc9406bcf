import { countOf, formatCompact } from '../../../../design/content/format.ts'
import { shortText } from '../../../../design/text/visible-text.ts'

export interface BarMark {
  readonly atMs: number
  readonly label: string
}

interface EventBarsProps {
  readonly label: string
  /** Oldest first; the last one is the current hour or day. */
  readonly values: readonly number[]
  readonly stepMs: number
  readonly endMs: number
  readonly marks: readonly BarMark[]
  readonly nameOf: (atMs: number) => string
}

const width = 300
const height = 56

/** Bars with the releases that came out meanwhile, drawn without a chart library. */
export function EventBars({ label, values, stepMs, endMs, marks, nameOf }: EventBarsProps) {
  const max = Math.max(1, ...values)
  const startMs = endMs - values.length * stepMs
  const step = width / Math.max(1, values.length)
  const sum = values.reduce((total, value) => total + value, 0)
  const shown = marks.filter(({ atMs }) => atMs >= startMs && atMs <= endMs)
  const says = shown.length === 0 ? '' : `; ${countOf(shown.length, 'release')}`
  return (
    <figure class="issue-bars">
      <figcaption>
        <span>{label}</span>
        <span class="number">{formatCompact(sum)}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: ${countOf(sum, 'event')}, at most ${countOf(max, 'event')}${says}`}
      >
        {values.map((value, index) => {
          const bar = value === 0 ? 1 : Math.max(2, (value / max) * (height - 8))
          return (
            <g key={index}>
              <title>{`${nameOf(startMs + index * stepMs)}: ${countOf(value, 'event')}`}</title>
              <rect class="issue-bar-space" x={index * step} y={0} width={step} height={height} />
              <rect
                class={value === 0 ? 'issue-bar-zero' : 'issue-bar'}
                x={index * step + step * 0.1}
                y={height - bar}
                width={step * 0.8}
                height={bar}
              />
            </g>
          )
        })}
        {shown.map(({ atMs, label: name }) => {
          const x = ((atMs - startMs) / (endMs - startMs)) * width
          return (
            <g key={`${name} ${atMs}`}>
              <title>{shortText(name, 120)}</title>
              <line class="issue-bar-mark" x1={x} x2={x} y1={0} y2={height} />
            </g>
          )
        })}
      </svg>
    </figure>
  )
}
