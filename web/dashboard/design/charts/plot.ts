/** uPlot in the colors of the theme. */
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatClock, formatDay } from '../content/format.ts'
import type { Series } from './time-chart.tsx'

interface PlotOptions {
  readonly times: readonly (string | number)[]
  readonly series: readonly Series[]
  readonly kind?: 'line' | 'bars' | 'stacked'
  readonly height: number
  readonly format: (value: number) => string
  readonly range?: readonly [number, number]
  readonly onSelect?: (sinceMs: number, untilMs: number) => void
}

export function plot(element: HTMLElement, options: PlotOptions): uPlot {
  const { times, series, kind = 'line', height, format, range, onSelect } = options
  const css = getComputedStyle(document.documentElement)
  const color = (name: string) => css.getPropertyValue(name).trim()
  const xs = times.map((time) => new Date(time).getTime() / 1_000)
  const isBars = kind !== 'line'
  const bars = uPlot.paths.bars!({ size: [0.8, 40], align: 1 })
  const axis = {
    stroke: color('--soft'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    font: `11px ${color('--font')}`,
  }
  const drawn = kind === 'stacked' ? stack(series) : series
  // Stacked bars are drawn from the highest sum to the lowest, each over the one before.
  const order = drawn.map((_, index) => index)
  if (kind === 'stacked') order.reverse()
  return new uPlot(
    {
      width: element.clientWidth || 300,
      height,
      legend: { show: false },
      cursor: {
        drag: { x: onSelect !== undefined, y: false, setScale: false },
        points: { size: 6 },
      },
      scales: {
        // A bar begins at its time, so that the last one needs the width of a step.
        x: { time: true, ...(isBars ? { range: withLastBar } : {}) },
        y: {
          range: range === undefined ? (_, __, max) => [0, max > 0 ? max * 1.08 : 1] : [...range],
        },
      },
      axes: [
        { ...axis, grid: { show: false }, values: timeTicks, size: heightOfTicks },
        {
          ...axis,
          ...(areCounts(drawn) ? { incrs: wholeSteps } : {}),
          size: 52,
          values: (_, ticks) => ticks.map((tick) => format(tick)),
        },
      ],
      series: [
        { value: (_, at) => (at === null ? '' : new Date(at * 1_000).toLocaleString('en-GB')) },
        ...order.map((index) => {
          const stroke = color(`--chart-${drawn[index]!.color ?? index + 1}`)
          return {
            label: drawn[index]!.name,
            stroke,
            width: isBars ? 0 : 1.75,
            points: { show: false },
            ...(isBars ? { fill: stroke, paths: bars } : {}),
          }
        }),
      ],
      plugins: [tooltip({ series, order, format })],
      hooks: {
        setSelect: [
          (chart) => {
            if (onSelect === undefined || chart.select.width < 4) return
            const since = chart.posToVal(chart.select.left, 'x')
            const until = chart.posToVal(chart.select.left + chart.select.width, 'x')
            onSelect(since * 1_000, until * 1_000)
          },
        ],
      },
    },
    [xs, ...order.map((index) => [...drawn[index]!.values])],
    element,
  )
}

/** A quarter of an event is no mark of an axis. */
const wholeSteps = Array.from({ length: 15 }, (_, power) =>
  [1, 2, 5].map((n) => n * 10 ** power),
).flat()

function areCounts(series: readonly Series[]): boolean {
  return series.every(({ values }) => values.every((value) => Number.isInteger(value ?? 0)))
}

const withLastBar: uPlot.Range.Function = (chart, min, max) => {
  const [first = 0, second = first] = chart.data[0]
  return [min, max + (second - first)]
}

function stack(series: readonly Series[]): readonly Series[] {
  const sums: number[] = []
  return series.map((one) => ({
    ...one,
    values: one.values.map((value, index) => {
      sums[index] = (sums[index] ?? 0) + (value ?? 0)
      return sums[index] ?? 0
    }),
  }))
}

/** Time and values below the pointer: the values of the series, not their stacked sums. */
function tooltip({
  series,
  order,
  format,
}: {
  readonly series: readonly Series[]
  readonly order: readonly number[]
  readonly format: (value: number) => string
}): uPlot.Plugin {
  const box = document.createElement('div')
  box.className = 'chart-tooltip'
  box.hidden = true
  return {
    hooks: {
      init: [(chart) => void chart.over.append(box)],
      setCursor: [
        (chart) => {
          const { idx, left = -1, top = 0 } = chart.cursor
          box.hidden = idx === null || idx === undefined || left < 0
          if (box.hidden || idx === null || idx === undefined) return
          const at = new Date((chart.data[0][idx] ?? 0) * 1_000).toLocaleString('en-GB')
          const lines = [...order].sort().flatMap((index) => {
            const value = series[index]?.values[idx]
            const name = series[index]?.name ?? ''
            return value === null || value === undefined ? [] : [`${name}: ${format(value)}`]
          })
          box.textContent = [at, ...lines].join('\n')
          const isRight = left > chart.over.clientWidth / 2
          box.style.left = isRight ? '' : `${left + 12}px`
          box.style.right = isRight ? `${chart.over.clientWidth - left + 12}px` : ''
          box.style.top = `${Math.min(top, chart.over.clientHeight / 2)}px`
        },
      ],
    },
  }
}

/** Dates have one line; times have a second one with the date. */
const heightOfTicks: uPlot.Axis.Size = (_, ticks) =>
  ticks?.some((tick) => tick.includes('\n')) === true ? 40 : 26

/** `14:00`, and below the first tick of a day its date. */
const timeTicks: uPlot.Axis.Values = (_, ticks, __, ___, step) => {
  const dayOf = (at: number) => formatDay(at * 1_000)
  return ticks.map((at, index) => {
    if (step >= 86_400) return dayOf(at)
    const time = formatClock(at * 1_000)
    const isNewDay = index === 0 || dayOf(at) !== dayOf(ticks[index - 1] ?? at)
    return isNewDay ? `${time}\n${dayOf(at)}` : time
  })
}
