/**
 * How many events of an issue each hour of the week may bring. Two things are usual: what the hour
 * of the week had in most of the last weeks, and what several days had at about this time. A burst
 * of one or two days is neither, so it does not hide the next one.
 *
 *   expected   median of the hour and its neighbours, in each of the weeks
 *   recurring  third highest day, of the days of its kind (Monday to Friday, or weekend), within
 *              two hours of this time
 *   limit      max(hourCountMin, growthMin × expected, recurringMargin × recurring)
 */
export interface HourForecast {
  /** By hour of the week, Monday 00:00 UTC first. */
  readonly expected: readonly number[]
  /** An hour with more events is too much. */
  readonly limits: readonly number[]
}

export interface IssueHours {
  /** Events by hour of receipt, in hours since 1970. Absent hours had none. */
  readonly counts: ReadonlyMap<number, number>
  /** The first hour of which all events are known: the issue existed, and they are still stored. */
  readonly fromHour: number
  /** The first hour that is not over. */
  readonly toHour: number
}

export const hoursPerWeek = 168
export const forecastHours = 4 * hoursPerWeek
/** An hour with at most so many events is never too much. */
export const hourCountMin = 50
const growthMin = 5
const recurringMargin = 1.5
const recurringDays = 3
/** Issues younger than a week have no usual week yet. */
const youngHourCountMin = 200
const youngGrowthMin = 10
/** Before, nothing is known about an issue. */
const youngHoursMin = 24
const hoursPerDay = 24
/** What an `int` column holds. */
const countMax = 2_000_000_000

/** 1970 began on a Thursday. */
export function hourOfWeek(hour: number): number {
  return (hour + 3 * hoursPerDay) % hoursPerWeek
}

/** Undefined when too little is known. */
export function forecastHoursOf(hours: IssueHours): HourForecast | undefined {
  const fromHour = Math.max(hours.fromHour, hours.toHour - forecastHours)
  const known = hours.toHour - fromHour
  if (known < youngHoursMin) return undefined
  if (known < hoursPerWeek) return forecastYoung({ ...hours, fromHour })
  const weeks = new Weeks({ ...hours, fromHour })
  const expected: number[] = []
  const limits: number[] = []
  for (let slot = 0; slot < hoursPerWeek; slot += 1) {
    const usual = weeks.usual(slot)
    expected.push(bounded(usual))
    limits.push(
      bounded(Math.max(hourCountMin, growthMin * usual, recurringMargin * weeks.recurring(slot))),
    )
  }
  return { expected, limits }
}

/** One number for all hours: ten times the median of the hours that had events. */
function forecastYoung({ counts, fromHour, toHour }: IssueHours): HourForecast {
  const busy: number[] = []
  for (let hour = fromHour; hour < toHour; hour += 1) {
    const count = counts.get(hour) ?? 0
    if (count > 0) busy.push(count)
  }
  const usual = median(busy)
  const limit = bounded(Math.max(youngHourCountMin, youngGrowthMin * usual))
  return {
    expected: new Array<number>(hoursPerWeek).fill(bounded(usual)),
    limits: new Array<number>(hoursPerWeek).fill(limit),
  }
}

class Weeks {
  readonly #hours: IssueHours
  /** With fewer weeks more neighbours count, so that one burst never decides alone. */
  readonly #neighbours: number

  constructor(hours: IssueHours) {
    this.#hours = hours
    const weeks = (hours.toHour - hours.fromHour) / hoursPerWeek
    this.#neighbours = weeks >= 3 ? 1 : 2
  }

  usual(slot: number): number {
    const { toHour } = this.#hours
    const last = toHour - 1 - ((hourOfWeek(toHour - 1) - slot + hoursPerWeek) % hoursPerWeek)
    const samples: number[] = []
    for (let hour = last; hour >= toHour - forecastHours; hour -= hoursPerWeek) {
      for (let near = hour - this.#neighbours; near <= hour + this.#neighbours; near += 1) {
        const count = this.#countOf(near)
        if (count !== undefined) samples.push(count)
      }
    }
    return median(samples)
  }

  recurring(slot: number): number {
    const { fromHour, toHour } = this.#hours
    const isWeekend = slot >= 5 * hoursPerDay
    const peaks: number[] = []
    const last = toHour - 1 - ((toHour - 1 - slot) % hoursPerDay)
    for (let hour = last; hour >= fromHour - 2; hour -= hoursPerDay) {
      if (hourOfWeek(hour) >= 5 * hoursPerDay !== isWeekend) continue
      let peak = 0
      for (let near = hour - 2; near <= hour + 2; near += 1) {
        peak = Math.max(peak, this.#countOf(near) ?? 0)
      }
      peaks.push(peak)
    }
    return peaks.sort((a, b) => b - a)[recurringDays - 1] ?? 0
  }

  /** Undefined outside of the known hours. */
  #countOf(hour: number): number | undefined {
    const { counts, fromHour, toHour } = this.#hours
    return fromHour <= hour && hour < toHour ? (counts.get(hour) ?? 0) : undefined
  }
}

/** Of an even number of values, the lower one of the middle. */
function median(values: number[]): number {
  if (values.length === 0) return 0
  values.sort((a, b) => a - b)
  return values[Math.floor((values.length - 1) / 2)] ?? 0
}

function bounded(count: number): number {
  return Math.min(countMax, Math.ceil(count))
}
