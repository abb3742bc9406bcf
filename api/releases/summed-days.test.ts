import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { daySeconds, hourSeconds } from '#schemas/releases/session-days.ts'
import { hoursOf, outside, type Span, wholeDays } from './summed-days.ts'

const hour = fc.integer({ min: 0, max: 240 }).map((hours) => hours * hourSeconds)
const period = fc
  .tuple(hour, hour)
  .map(([a, b]): Span => ({ since: Math.min(a, b), until: Math.max(a, b) + hourSeconds }))

function hoursIn({ since, until }: Span): number[] {
  const hours: number[] = []
  for (let second = since; second < until; second += hourSeconds) hours.push(second)
  return hours
}

describe('a period', () => {
  test('is divided into summed days and the hours beside them, each once', () => {
    const days = fc.uniqueArray(fc.integer({ min: 0, max: 12 }))
    fc.assert(
      fc.property(period, days, (whole, summed) => {
        const spans = outside(
          whole,
          summed.map((day) => ({ day, version: 1 })),
        )
        const open = hoursIn(whole).filter(
          (second) => !summed.includes(Math.floor(second / daySeconds)),
        )
        expect(spans.flatMap(hoursIn)).toEqual(open)
        expect(spans.every(({ since, until }) => since < until)).toBe(true)
      }),
    )
  })

  test('has whole days only within it, and none for narrower buckets', () => {
    fc.assert(
      fc.property(period, (whole) => {
        const { since, until } = wholeDays(whole, undefined)
        const days = new Set(hoursIn(whole).map((second) => Math.floor(second / daySeconds)))
        const full = [...days].filter(
          (day) => whole.since <= day * daySeconds && (day + 1) * daySeconds <= whole.until,
        )
        expect((until - since) / daySeconds).toBe(full.length)
        if (full.length > 0) expect(since / daySeconds).toBe(full[0])
        const narrow = wholeDays(whole, hourSeconds)
        expect(narrow.since).toBe(narrow.until)
      }),
    )
  })

  test('contains an hour that begins in it', () => {
    expect(hoursOf({ sinceMs: 0, untilMs: 1 })).toEqual({ since: 0, until: hourSeconds })
    expect(hoursOf({ sinceMs: 1_000, untilMs: hourSeconds * 1_000 })).toEqual({
      since: hourSeconds,
      until: hourSeconds,
    })
  })
})
