import { describe, expect, test } from 'vitest'
import { cpuChart } from './cpu-chart.ts'

const chart = (now: Record<string, number>, label = '1 KB') =>
  cpuChart({
    beforeLabel: 'before',
    nowLabel: 'now',
    groups: [{ label, before: { ingest: 30, workers: 70 }, now }],
  })

/** Widths of the bars, without the legend. */
function widths(svg: string): number[] {
  return [...svg.matchAll(/width="([\d.]+)" height="20"/g)].map(([, width]) => Number(width))
}

describe('cpuChart', () => {
  test('the longest bar takes the whole width, the other one its share', () => {
    const [before, now] = [0, 5].map((from) =>
      widths(chart({ ingest: 10, clickhouse: 15 }))
        .slice(from, from + 5)
        .reduce((sum, width) => sum + width, 0),
    )
    expect(before).toBeCloseTo(520, 0)
    expect(now! / before!).toBeCloseTo(0.25, 2)
  })

  test('shows the sums, and counts no unknown process', () => {
    const svg = chart({ ingest: 10, workers: 1_200, other: 7 })
    expect(svg).toContain('1,210 µs')
    expect(svg).toContain('100 µs')
  })

  test('escapes its labels, and draws nothing of nothing', () => {
    expect(chart({}, '<b>&')).toContain('&lt;b>&amp;')
    expect(widths(chart({})).slice(5)).toEqual([0, 0, 0, 0, 0])
  })
})
