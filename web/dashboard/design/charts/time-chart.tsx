/**
 * Values over time. uPlot draws on a canvas and is loaded when the first chart is on the screen;
 * a table with the same values is there for screen readers.
 */

import { useEffect, useRef } from 'preact/hooks'
import type uPlot from 'uplot'
import { isDark, theme } from '../../theme/theme.ts'
import { formatCompact, formatExact } from '../content/format.ts'
import '../css/charts.css'

export interface Series {
  readonly name: string
  /** One for each time; null where there is no value. */
  readonly values: readonly (number | null)[]
  /** Of the palette, from 1 to 6. */
  readonly color?: number
}

interface TimeChartProps {
  readonly label: string
  /** ISO 8601 or milliseconds, ascending. */
  readonly times: readonly (string | number)[]
  readonly series: readonly Series[]
  readonly kind?: 'line' | 'bars' | 'stacked'
  readonly height?: number
  readonly format?: (value: number) => string
  /** The y axis starts and ends here; default from 0 to the largest value. */
  readonly range?: readonly [number, number]
  /** The person has selected a span of time. */
  readonly onSelect?: (sinceMs: number, untilMs: number) => void
}

const tableRowsMax = 100

export function TimeChart(props: TimeChartProps) {
  const { label, times, series, height = 180, format = formatCompact } = props
  const box = useRef<HTMLDivElement>(null)
  const shownTheme = theme.value
  useEffect(() => {
    const element = box.current
    if (element === null) return
    let chart: uPlot | undefined
    let isGone = false
    let observer: ResizeObserver | undefined
    void import('./plot.ts').then(({ plot }) => {
      if (isGone) return
      chart = plot(element, { ...props, height, format })
      observer = new ResizeObserver(() => {
        if (element.clientWidth > 0) chart?.setSize({ width: element.clientWidth, height })
      })
      observer.observe(element)
    })
    return () => {
      isGone = true
      observer?.disconnect()
      chart?.destroy()
    }
  }, [times, series, height, props.kind, shownTheme, isDark()])
  const rows = times.slice(-tableRowsMax)
  const skipped = times.length - rows.length
  return (
    <figure class="chart">
      <figcaption class="chart-legend">
        <span class="screen-reader">{label}</span>
        {series.map((one, index) => (
          <span key={one.name} class={`legend legend-${one.color ?? index + 1}`}>
            {one.name}
          </span>
        ))}
      </figcaption>
      <div ref={box} style={{ height: `${height}px` }} aria-hidden="true" />
      {/* A box around it, because tables are as wide as their content. */}
      <div class="screen-reader">
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((at, row) => (
              <tr key={at}>
                <th scope="row">{formatExact(at)}</th>
                {series.map(({ name, values }) => {
                  const value = values[row + skipped] ?? null
                  return <td key={name}>{value === null ? '–' : format(value)}</td>
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}
