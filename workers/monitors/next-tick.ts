/**
 * When a schedule expects its next run. A pure function of the schedule and a reference time.
 *
 * A crontab with a fixed minute and hour is a time on the wall: when the clock skips it, the run is
 * expected at the skip, and when the clock shows it twice, at the first of the two. One with a star
 * in either field counts elapsed time: it ticks whenever the clock fits, in both passes of a
 * repeated hour and not in a skipped one. That is what cron daemons do.
 */
import type { Crontab } from '#schemas/wire/crontab.ts'
import type { IntervalUnit, ParsedSchedule } from '#schemas/wire/monitor-config.ts'
import { changeBetween, instantOf, localTime, offsetMs } from './zoned-time.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** A leap day comes at the latest after eight years; on a given weekday after 40. */
const searchDaysMax = 41 * 366
/** Step without checking the UTC offset: no zone changes its offset twice within it. */
const leapMs = 14 * dayMs
/** Latest time that can be expected: dates end in the year 275760. */
const instantMsMax = 8e15

/** The first tick after the reference, truncated to the minute. Undefined if there is none. */
export function tickAfter(
  schedule: ParsedSchedule,
  zone: string,
  referenceMs: number,
): number | undefined {
  return schedule.kind === 'crontab'
    ? crontabAfter(schedule.crontab, zone, referenceMs)
    : intervalAfter(schedule, zone, referenceMs, 1)
}

/**
 * The first tick at or after `nowMs` of a schedule whose expected run at `expectedMs` is over.
 * Ticks between the two are skipped: a job that was down for a week has missed one run, not a week
 * of them.
 */
export function tickFrom(
  schedule: ParsedSchedule,
  zone: string,
  { expectedMs, nowMs }: { readonly expectedMs: number; readonly nowMs: number },
): number | undefined {
  if (schedule.kind === 'crontab') {
    return crontabAfter(schedule.crontab, zone, Math.max(expectedMs, nowMs - 1))
  }
  const stepMs = schedule.value * longestMs[schedule.unit]
  // Never too many, since no unit is longer than this; few steps remain.
  let count = Math.max(1, Math.floor((nowMs - expectedMs) / stepMs))
  while (true) {
    const tick = intervalAfter(schedule, zone, expectedMs, count)
    if (tick === undefined || nowMs <= tick) return tick
    count += 1
  }
}

const longestMs: Readonly<Record<IntervalUnit, number>> = {
  minute: minuteMs,
  hour: hourMs,
  day: dayMs + hourMs,
  week: 7 * dayMs + hourMs,
  month: 31 * dayMs + hourMs,
  year: 366 * dayMs + hourMs,
}

function intervalAfter(
  { value, unit }: { readonly value: number; readonly unit: IntervalUnit },
  zone: string,
  referenceMs: number,
  count: number,
): number | undefined {
  const units = value * count
  if (unit === 'minute' || unit === 'hour') {
    return bounded(cutToMinute(referenceMs + units * longestMs[unit]))
  }
  // Units of a day and more keep the local time.
  const local = addCalendar(localTime(zone, referenceMs), units, unit)
  return Math.abs(local) < instantMsMax ? bounded(cutToMinute(instantOf(zone, local))) : undefined
}

/**
 * A month without the day ends with its last day: one month after January 31 is the end of
 * February.
 */
function addCalendar(
  localMs: number,
  units: number,
  unit: 'day' | 'week' | 'month' | 'year',
): number {
  if (unit === 'day') return localMs + units * dayMs
  if (unit === 'week') return localMs + units * 7 * dayMs
  const date = new Date(localMs)
  const months = date.getUTCMonth() + (unit === 'month' ? units : 12 * units)
  const daysInMonth = new Date(Date.UTC(date.getUTCFullYear(), months + 1, 0)).getUTCDate()
  const day = Math.min(date.getUTCDate(), daysInMonth)
  const timeOfDay = localMs - Math.floor(localMs / dayMs) * dayMs
  return Date.UTC(date.getUTCFullYear(), months, day) + timeOfDay
}

function crontabAfter(crontab: Crontab, zone: string, referenceMs: number): number | undefined {
  return crontab.isWild
    ? elapsedTickAfter(crontab, zone, referenceMs)
    : wallTickAfter(crontab, zone, referenceMs)
}

function wallTickAfter(crontab: Crontab, zone: string, referenceMs: number): number | undefined {
  let local = nextMatch(crontab, cutToMinute(localTime(zone, referenceMs)))
  while (local !== undefined) {
    const instant = cutToMinute(instantOf(zone, local))
    // The result is at or before the reference if that lies in the second pass of an hour, or after
    // a skipped one.
    if (referenceMs < instant) return bounded(instant)
    local = nextMatch(crontab, local + minuteMs)
  }
  return undefined
}

function elapsedTickAfter(crontab: Crontab, zone: string, referenceMs: number): number | undefined {
  let instant = cutToMinute(referenceMs) + minuteMs
  while (instant < instantMsMax) {
    const offset = offsetMs(zone, instant)
    const local = nextMatch(crontab, instant + offset)
    if (local === undefined) return undefined
    const match = local - offset
    const isFar = leapMs < match - instant
    // Between this time and the match the clock shows no matching time, except for an hour around
    // an offset change.
    const target = isFar ? match - dayMs : match
    if (isFar) instant = target
    else if (offsetMs(zone, target) !== offset) instant = changeBetween(zone, instant, target)
    else return match
  }
  return undefined
}

/** The first local minute at or after this one that matches. */
function nextMatch(crontab: Crontab, fromLocalMs: number): number | undefined {
  let day = Math.floor(fromLocalMs / dayMs) * dayMs
  let minuteOfDay = (fromLocalMs - day) / minuteMs
  for (let days = 0; days < searchDaysMax; days += 1) {
    if (isDay(crontab, new Date(day))) {
      const match = matchInDay(crontab, minuteOfDay)
      if (match !== undefined) return day + match * minuteMs
    }
    day += dayMs
    minuteOfDay = 0
  }
  return undefined
}

function isDay({ months, daysOfMonth, daysOfWeek, eitherDay }: Crontab, date: Date): boolean {
  if (!months.includes(date.getUTCMonth() + 1)) return false
  const isDate = daysOfMonth.includes(date.getUTCDate())
  const isWeekday = daysOfWeek.includes(date.getUTCDay())
  return eitherDay ? isDate || isWeekday : isDate && isWeekday
}

function matchInDay({ hours, minutes }: Crontab, fromMinute: number): number | undefined {
  for (const hour of hours) {
    for (const minute of minutes) {
      if (fromMinute <= hour * 60 + minute) return hour * 60 + minute
    }
  }
  return undefined
}

function cutToMinute(ms: number): number {
  return Math.floor(ms / minuteMs) * minuteMs
}

function bounded(ms: number): number | undefined {
  return ms < instantMsMax ? ms : undefined
}
