/**
 * Compares ticks with a check of every minute. The seed is fixed, so that a failure can be
 * reproduced.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Crontab, parseCrontab } from '#schemas/wire/crontab.ts'
import { tickAfter } from './next-tick.ts'

const minuteMs = 60_000
const scanMinutesMax = 3 * 24 * 60

/**
 * Around changes of the clock: forward, back, by half an hour, at midnight, and where there is
 * none.
 */
const places = [
  ['Europe/Berlin', '2026-03-29T01:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00Z'],
  ['America/New_York', '2026-03-08T07:00Z'],
  ['America/New_York', '2026-11-01T06:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00Z'],
  ['Asia/Beirut', '2026-03-28T22:00Z'],
  ['America/Santiago', '2026-09-06T04:00Z'],
  ['Asia/Kolkata', '2026-06-01T00:00Z'],
  ['UTC', '2026-02-28T22:00Z'],
] as const

const minute = fc.constantFrom('*', '*/7', '*/30', '0', '30', '15,45', '0-10/5', '59')
const hour = fc.constantFrom('*', '*/2', '0', '1', '2', '3', '1-3', '0,2,23', '1-23/2')
const crontabs = fc.tuple(minute, hour).map(([m, h]) => `${m} ${h} * * *`)

const format = new Map<string, Intl.DateTimeFormat>()

function wallMinutes(zone: string, ms: number): number {
  let zoned = format.get(zone)
  if (zoned === undefined) {
    const parts = { timeZone: zone, dateStyle: 'short', timeStyle: 'short' } as const
    zoned = new Intl.DateTimeFormat('sv-SE', parts)
    format.set(zone, zoned)
  }
  return Date.parse(`${zoned.format(ms).replace(' ', 'T')}Z`) / minuteMs
}

function fits({ minutes, hours }: Crontab, wall: number): boolean {
  return minutes.includes(wall % 60) && hours.includes(Math.floor(wall / 60) % 24)
}

/**
 * The next minute whose local time matches; for a fixed time, the next minute at which a matching
 * time has passed for the first time.
 */
function scan(crontab: Crontab, zone: string, referenceMs: number): number | undefined {
  const first = Math.floor(referenceMs / minuteMs) * minuteMs + minuteMs
  // Local times that the clock has already shown, including a repeated hour.
  let shown = wallMinutes(zone, first - minuteMs)
  for (let back = 1; back <= 180; back += 1) {
    shown = Math.max(shown, wallMinutes(zone, first - back * minuteMs))
  }
  for (let ms = first; ms < first + scanMinutesMax * minuteMs; ms += minuteMs) {
    const wall = wallMinutes(zone, ms)
    if (crontab.isWild) {
      if (fits(crontab, wall)) return ms
      continue
    }
    for (let passed = shown + 1; passed <= wall; passed += 1) if (fits(crontab, passed)) return ms
    shown = Math.max(shown, wall)
  }
  return undefined
}

test('the next tick equals the result of checking every minute', () => {
  const offsets = fc.integer({ min: -36 * 60 * 60, max: 12 * 60 * 60 })
  fc.assert(
    fc.property(fc.constantFrom(...places), crontabs, offsets, ([zone, near], text, seconds) => {
      const parsed = parseCrontab(text)
      if (parsed.kind === 'invalid') throw new Error(parsed.rule)
      const reference = Date.parse(near) + seconds * 1000
      const want = scan(parsed.crontab, zone, reference)
      expect(tickAfter(parsed, zone, reference)).toBe(want)
    }),
    { seed: 20_261_121, numRuns: 300 },
  )
})

test('parsing a crontab never throws', () => {
  const field = fc.stringMatching(/^[0-9*,/a-z@?#L-]{0,6}$/)
  fc.assert(
    fc.property(fc.array(field, { maxLength: 7 }), (fields) => {
      parseCrontab(fields.join(' '))
    }),
    { seed: 20_261_121, numRuns: 2_000 },
  )
})
