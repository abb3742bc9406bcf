import { describe, expect, test } from 'vitest'
import {
  createHistogram,
  mergeHistograms,
  percentileUs,
  recordLatency,
} from './latency-histogram.ts'
import { seededRandom } from './random.ts'

describe('latency histogram', () => {
  test('small values are exact', () => {
    const histogram = createHistogram()
    for (let value = 1; value <= 100; value += 1) recordLatency(histogram, value)
    expect(percentileUs(histogram, 0.5)).toBe(50)
    expect(percentileUs(histogram, 0.99)).toBe(99)
    expect(percentileUs(histogram, 1)).toBe(100)
  })

  test('percentiles of a wide spread are within two percent of the sorted values', () => {
    const random = seededRandom(11)
    const histogram = createHistogram()
    const values = Array.from({ length: 20_000 }, () =>
      Math.round(2 ** (random.below(2_400) / 100)),
    )
    for (const value of values) recordLatency(histogram, value)
    values.sort((left, right) => left - right)
    for (const share of [0.1, 0.5, 0.9, 0.99, 0.999]) {
      const exact = values[Math.ceil(share * values.length) - 1]!
      const got = percentileUs(histogram, share)
      expect(got).toBeGreaterThanOrEqual(exact)
      expect(got).toBeLessThanOrEqual(Math.ceil(exact * 1.02))
    }
  })

  test('merging adds counts and keeps the maximum', () => {
    const low = createHistogram()
    const high = createHistogram()
    recordLatency(low, 10)
    recordLatency(high, 5_000)
    const merged = mergeHistograms([low, high])
    expect(merged.count).toBe(2)
    expect(merged.maxUs).toBe(5_000)
    expect(percentileUs(merged, 0.5)).toBe(10)
    expect(percentileUs(merged, 1)).toBe(5_000)
  })

  test('an empty histogram returns zero, and huge values are counted in the last bucket', () => {
    const histogram = createHistogram()
    expect(percentileUs(histogram, 0.99)).toBe(0)
    recordLatency(histogram, 1e15)
    recordLatency(histogram, -3)
    expect(histogram.count).toBe(2)
    expect(percentileUs(histogram, 1)).toBe(0x7fff_ffff)
  })
})
