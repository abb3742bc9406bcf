import { describe, expect, test } from 'vitest'
import { memoryTrend } from './memory-trend.ts'

const samples = (bytesAt: (second: number) => number) =>
  Array.from({ length: 61 }, (_, second) => ({ atSeconds: second, bytes: bytesAt(second) }))

describe('memory trend', () => {
  test('a leak is reported as bytes per minute', () => {
    expect(memoryTrend(samples((second) => 1000 + 50 * second)).bytesPerMinute).toBeCloseTo(3000)
  })

  test('memory that grows only during warm-up is flat', () => {
    const trend = memoryTrend(samples((second) => 1000 + 100 * Math.min(second, 20)))
    expect(trend.bytesPerMinute).toBe(0)
    expect(trend.peakBytes).toBe(3000)
  })

  test('the saw-tooth of a garbage collector is nearly flat', () => {
    const trend = memoryTrend(samples((second) => 1000 + 100 * (second % 5)))
    expect(Math.abs(trend.bytesPerMinute)).toBeLessThan(100)
  })

  test('fewer than two samples have no slope', () => {
    expect(memoryTrend([])).toEqual({ peakBytes: 0, lastBytes: 0, bytesPerMinute: 0 })
    expect(memoryTrend([{ atSeconds: 1, bytes: 5 }]).bytesPerMinute).toBe(0)
  })
})
