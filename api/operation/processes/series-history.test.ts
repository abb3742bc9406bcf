import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parsePrometheus } from './prometheus-text.ts'
import { SeriesHistory } from './series-history.ts'

function historyOf(points: readonly (readonly [atMs: number, text: string])[]): SeriesHistory {
  const history = new SeriesHistory(['a'])
  for (const [atMs, text] of points) history.add(atMs, parsePrometheus(text))
  return history
}
const rate = (history: SeriesHistory, windowMs = 10_000) =>
  history.rates('a', windowMs).map(({ perSecond }) => perSecond)

// biome-ignore format: the columns are the point
test.each([
  ['no point',                     [],                                              []],
  ['one point',                    [[0, 'a 5']],                                    []],
  ['two points',                   [[0, 'a 5'], [2_000, 'a 9']],                    [2]],
  ['a counter that stands still',  [[0, 'a 5'], [2_000, 'a 5']],                    [0]],
  ['a reset',                      [[0, 'a 100'], [1_000, 'a 4'], [2_000, 'a 6']],  [3]],
  ['a new series',                 [[0, ''], [2_000, 'a{b="x"} 6']],                [3]],
  ['a gap longer than the window', [[0, 'a 0'], [30_000, 'a 60']],                  [2]],
  ['points outside of the window', [[0, 'a 0'], [20_000, 'a 90'], [25_000, 'a 95'], [30_000, 'a 100']], [1]],
  ['NaN',                          [[0, 'a 5'], [2_000, 'a NaN']],                  []],
  ['a clock that stands still',    [[0, 'a 5'], [0, 'a 9']],                        []],
] as const)('the rate of %s', (_what, points, want) => {
  expect(rate(historyOf(points))).toEqual(want)
})

test('points older than a minute are forgotten', () => {
  const history = historyOf([
    [0, 'a 0'],
    [61_000, 'a 100'],
    [62_000, 'a 101'],
  ])
  expect(rate(history, 3_600_000)).toEqual([1])
})

test('a rate is never negative, for any counters', () => {
  const point = fc.tuple(fc.nat(5_000), fc.double({ min: 0, max: 1e12, noNaN: true }))
  fc.assert(
    fc.property(fc.array(point, { maxLength: 30 }), (steps) => {
      let atMs = 0
      const points = steps.map(([ms, value]) => {
        atMs += ms
        return [atMs, `a ${value}`] as const
      })
      for (const perSecond of rate(historyOf(points))) expect(perSecond).toBeGreaterThanOrEqual(0)
    }),
  )
})
