import { expect, test } from 'vitest'
import { FillForecast } from './fill-forecast.ts'

const GB = 1e9

/** Observes every 10 s. */
function forecastOf(minutes: number, freeAt: (second: number) => number): number {
  const forecast = new FillForecast()
  for (let second = 0; second <= minutes * 60; second += 10) {
    forecast.observe(freeAt(second), second * 1000)
  }
  return forecast.secondsUntilFull
}

test('a disk that fills evenly is full when the rate says', () => {
  expect(forecastOf(60, (second) => 100 * GB - second * 1e6)).toBeCloseTo(96_400, -1)
})

test.each([
  ['that does not change', () => 5 * GB],
  ['that empties', (second: number) => 5 * GB + second],
])('a disk %s is never full', (_what, freeAt) => {
  expect(forecastOf(60, freeAt)).toBe(Number.POSITIVE_INFINITY)
})

test('a burst of writes, a deleted file and a sawtooth do not count as filling', () => {
  expect(forecastOf(60, (second) => (second < 3_000 ? 5 * GB : 4 * GB))).toBe(
    Number.POSITIVE_INFINITY,
  )
  const sawtooth = (second: number) => 5 * GB - (second % 300) * 1e6
  expect(forecastOf(60, sawtooth)).toBeGreaterThan(86_400)
})

test('a deletion in between does not hide that the disk fills', () => {
  const filling = (second: number) => 10 * GB - second * 1e6 + (second > 1_800 ? GB : 0)
  expect(forecastOf(60, filling)).toBeLessThan(15_000)
})

test('a disk that will be full within an hour is noticed after a minute', () => {
  expect(forecastOf(1, (second) => GB - second * 5e6)).toBeCloseTo(140, -1)
  const lately = (second: number) => (second < 3_300 ? 2 * GB : 2 * GB - (second - 3_300) * 5e6)
  expect(forecastOf(60, lately)).toBeCloseTo(100, -1)
})

test('a slower rate needs ten minutes of samples', () => {
  const freeAt = (second: number) => 10 * GB - second * 1e6
  expect(forecastOf(9, freeAt)).toBe(Number.POSITIVE_INFINITY)
  expect(forecastOf(11, freeAt)).toBeLessThan(10_000)
})

test('a full disk is full', () => {
  expect(forecastOf(0, () => 0)).toBe(0)
})
