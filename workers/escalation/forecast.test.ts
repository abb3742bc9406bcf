import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Random } from '../../test/fixtures/random.ts'
import {
  forecastHours,
  forecastHoursOf,
  hourCountMin,
  hourOfWeek,
  hoursPerWeek,
  type IssueHours,
} from './forecast.ts'

/** A Wednesday. */
const toHour = Date.UTC(2026, 10, 18) / 3_600_000
const fromHour = toHour - forecastHours

type Load = (hour: number) => number

function hoursOf(load: Load, from = fromHour): IssueHours {
  const counts = new Map<number, number>()
  for (let hour = from; hour < toHour; hour += 1) {
    const count = load(hour)
    if (count > 0) counts.set(hour, count)
  }
  return { counts, fromHour: from, toHour }
}

/** The hours of the week after the forecast in which the issue would be escalating. */
function escalations(hours: IssueHours, load: Load): number {
  const forecast = forecastHoursOf(hours)
  if (forecast === undefined) throw new Error('no forecast')
  let found = 0
  for (let hour = toHour; hour < toHour + hoursPerWeek; hour += 1) {
    if (load(hour) > (forecast.limits[hourOfWeek(hour)] ?? 0)) found += 1
  }
  return found
}

/** Counts of an hour scatter around their mean by up to 30 percent and a few events. */
function noisy(seed: number, mean: Load): Load {
  const random = new Random(seed, 'load')
  const known = new Map<number, number>()
  return (hour) => {
    const count =
      known.get(hour) ?? Math.round(mean(hour) * (0.7 + 0.6 * random.share()) + 3 * random.share())
    known.set(hour, count)
    return count
  }
}

/** An office: weekdays from 8 to 18, a tenth of it at night, hardly anything on weekends. */
function office(peak: number): Load {
  return (hour) => {
    const slot = hourOfWeek(hour)
    if (slot >= 120) return peak / 50
    const hourOfDay = slot % 24
    return 8 <= hourOfDay && hourOfDay < 18 ? peak : peak / 10
  }
}

/** A shop: a wave over the day, higher on weekends. */
function shop(peak: number): Load {
  return (hour) =>
    peak *
    (0.55 + 0.45 * Math.sin(((hour % 24) / 24) * 2 * Math.PI)) *
    (hourOfWeek(hour) >= 120 ? 1.8 : 1)
}

const seeds = fc.integer({ min: 1, max: 2 ** 31 - 1 })
const peaks = fc.integer({ min: 0, max: 20_000 })
const loads = fc.constantFrom(office, shop, (peak: number) => () => peak)

test('a usual week never escalates, of any season and size', () => {
  fc.assert(
    fc.property(seeds, peaks, loads, (seed, peak, season) => {
      const load = noisy(seed, season(peak))
      expect(escalations(hoursOf(load), load)).toBe(0)
    }),
    { numRuns: 60 },
  )
})

test('ten times as many events escalate, also at the quietest time of a season', () => {
  fc.assert(
    fc.property(seeds, fc.integer({ min: 100, max: 20_000 }), loads, (seed, peak, season) => {
      const load = noisy(seed, season(peak))
      const grown = noisy(seed + 1, (hour) => 10 * season(peak)(hour))
      expect(escalations(hoursOf(load), grown)).toBeGreaterThan(40)
    }),
    { numRuns: 60 },
  )
})

test('a burst of the past neither escalates a usual week nor hides growth', () => {
  fc.assert(
    fc.property(
      seeds,
      fc.integer({ min: 100, max: 5_000 }),
      loads,
      fc.integer({ min: 0, max: forecastHours - 1 }),
      fc.integer({ min: 1, max: 24 }),
      (seed, peak, season, start, length) => {
        const usual = noisy(seed, season(peak))
        const burst: Load = (hour) =>
          usual(hour) +
          (start <= hour - fromHour && hour - fromHour < start + length ? 90 * peak : 0)
        const grown = noisy(seed + 1, (hour) => 10 * season(peak)(hour))
        expect(escalations(hoursOf(burst), usual)).toBe(0)
        const noticed = escalations(hoursOf(usual), grown)
        expect(escalations(hoursOf(burst), grown)).toBeGreaterThan(0.85 * noticed)
      },
    ),
    { numRuns: 60 },
  )
})

test('a new level is usual after three working days', () => {
  const load = noisy(9, (hour) => (hour >= toHour - 5 * 24 ? 5_000 : 100))
  expect(escalations(hoursOf(load), (hour) => (hourOfWeek(hour) < 120 ? load(hour) : 0))).toBe(0)
})

test('a job that fails once a night, at another hour each time, is usual after some weeks', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const random = new Random(seed, 'load')
      const startOf = new Map<number, number>()
      const load: Load = (hour) => {
        const day = Math.floor(hour / 24)
        const start = startOf.get(day) ?? Math.floor(2 + 3 * random.share())
        startOf.set(day, start)
        return hour % 24 === start ? 800 : 0
      }
      expect(escalations(hoursOf(load), load)).toBe(0)
    }),
    { numRuns: 30 },
  )
})

describe('A forecast', () => {
  test('of an issue with few events is the floor', () => {
    const forecast = forecastHoursOf(hoursOf(() => 2))
    expect(new Set(forecast?.limits)).toEqual(new Set([hourCountMin]))
    expect(new Set(forecast?.expected)).toEqual(new Set([2]))
  })

  test('is not made of less than a day', () => {
    expect(forecastHoursOf(hoursOf(() => 100, toHour - 23))).toBeUndefined()
    expect(forecastHoursOf(hoursOf(() => 100, toHour + 5))).toBeUndefined()
  })

  test('of an issue younger than a week is ten times a usual hour', () => {
    const young = forecastHoursOf(hoursOf((hour) => (hour % 2 === 0 ? 100 : 0), toHour - 48))
    expect(new Set(young?.limits)).toEqual(new Set([1_000]))
    const quiet = forecastHoursOf(hoursOf(() => 1, toHour - 100))
    expect(new Set(quiet?.limits)).toEqual(new Set([200]))
  })

  test('does not take the time before the issue existed for quiet hours', () => {
    const load = noisy(5, office(1_000))
    expect(escalations(hoursOf(load, toHour - 8 * 24), load)).toBe(0)
  })

  test('fits its columns with absurd counts', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 2 ** 53 }), { maxLength: 700 }), (values) => {
        const forecast = forecastHoursOf(hoursOf((hour) => values[hour - fromHour] ?? 0))
        for (const value of [...(forecast?.limits ?? []), ...(forecast?.expected ?? [])]) {
          expect(Number.isInteger(value) && 0 <= value && value < 2 ** 31).toBe(true)
        }
        expect([forecast?.limits.length, forecast?.expected.length]).toEqual([168, 168])
      }),
      { numRuns: 20 },
    )
  })
})
