/**
 * Parses the crontab syntax of a monitor's schedule: five fields with lists, ranges, steps and
 * names, or a nickname such as `@daily`. Extensions of other programs (seconds, years, `L`, `W`,
 * `#`, `?`, `H`, `@reboot`) are refused with a reason, because a guess would report runs as missed.
 */

export interface Crontab {
  /** Allowed values, ascending. */
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  readonly daysOfMonth: readonly number[]
  readonly months: readonly number[]
  /** 0 is Sunday. */
  readonly daysOfWeek: readonly number[]
  /**
   * Both day fields restrict the days: a day that matches either of them matches. Otherwise it must
   * match both.
   */
  readonly eitherDay: boolean
  /**
   * The minute or the hour is `*`: the job runs by elapsed time and is not moved by clock changes.
   */
  readonly isWild: boolean
}

export type ParsedCrontab =
  | { readonly kind: 'crontab'; readonly crontab: Crontab }
  /** The rule that is violated, to follow the name of the field. */
  | { readonly kind: 'invalid'; readonly rule: string }

interface Field {
  readonly name: string
  readonly min: number
  readonly max: number
  /** Names of three characters; the first one has the value `min`. */
  readonly names?: readonly string[]
}

const monthNames = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const dayNames = 'sun mon tue wed thu fri sat'.split(' ')
const minuteField: Field = { name: 'minute', min: 0, max: 59 }
const hourField: Field = { name: 'hour', min: 0, max: 23 }
const dayField: Field = { name: 'day of the month', min: 1, max: 31 }
const monthField: Field = { name: 'month', min: 1, max: 12, names: monthNames }
/** 7 is Sunday too, so that a range can end with it. */
const weekdayField: Field = { name: 'day of the week', min: 0, max: 7, names: dayNames }

const nicknames = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
])

const crontabCharactersMax = 200
const daysPerMonthMax = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

class CrontabError extends Error {}

export function parseCrontab(text: string): ParsedCrontab {
  if (crontabCharactersMax < text.length) {
    return { kind: 'invalid', rule: `must have at most ${crontabCharactersMax} characters` }
  }
  try {
    return { kind: 'crontab', crontab: parseFields(text.trim().toLowerCase()) }
  } catch (error) {
    if (error instanceof CrontabError) return { kind: 'invalid', rule: error.message }
    throw error
  }
}

function parseFields(text: string): Crontab {
  if (text.startsWith('@') && !nicknames.has(text)) {
    throw new CrontabError(`must not be the unknown nickname ${text}`)
  }
  const fields = (nicknames.get(text) ?? text).split(/\s+/)
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields
  if (fields.length !== 5 || minute === '') {
    const count = minute === '' ? 0 : fields.length
    throw new CrontabError(`must have five fields or be a nickname, and has ${count}`)
  }
  const crontab: Crontab = {
    minutes: parseField(minute, minuteField),
    hours: parseField(hour, hourField),
    daysOfMonth: parseField(day, dayField),
    months: parseField(month, monthField),
    daysOfWeek: sundayOnce(parseField(weekday, weekdayField)),
    eitherDay: !day.startsWith('*') && !weekday.startsWith('*'),
    isWild: minute.startsWith('*') || hour.startsWith('*'),
  }
  const hasDay = crontab.months.some((number) =>
    crontab.daysOfMonth.some((date) => date <= daysPerMonthMax[number - 1]!),
  )
  if (!hasDay && !crontab.eitherDay) throw new CrontabError('must name a day that exists')
  return crontab
}

function parseField(text: string, field: Field): number[] {
  const values = new Set<number>()
  for (const part of text.split(',')) for (const value of parsePart(part, field)) values.add(value)
  return [...values].sort((a, b) => a - b)
}

/** `*`, `a`, `a-b`, each optionally with `/step`. `a/step` continues to the end of the field. */
function* parsePart(part: string, field: Field): Generator<number> {
  const { name, min } = field
  const [, from, to, stepText] =
    /^(\*|[a-z0-9]+)(?:-([a-z0-9]+))?(?:\/(\d{1,3}))?$/.exec(part) ?? []
  if (from === undefined || (from === '*' && to !== undefined)) {
    throw new CrontabError(`has a ${name} that cannot be read: ${quoted(part)}`)
  }
  const step = stepText === undefined ? 1 : Number(stepText)
  if (step === 0) throw new CrontabError(`has a step of 0 in its ${name}`)
  const last = field === weekdayField ? 6 : field.max
  const first = from === '*' ? min : readValue(from, field)
  let end = first
  if (from === '*') end = last
  else if (to !== undefined) end = readRangeEnd(to, first, field)
  else if (stepText !== undefined) end = Math.max(first, last)
  if (end < first) {
    throw new CrontabError(`has a ${name} range that ends before it begins: ${quoted(part)}`)
  }
  for (let value = first; value <= end; value += step) yield value
}

/** Ranges that end with Sunday are allowed: `sat-sun`, `5-0`. */
function readRangeEnd(text: string, first: number, field: Field): number {
  const end = readValue(text, field)
  return field === weekdayField && end === 0 && 0 < first ? 7 : end
}

function readValue(text: string, { name, min, max, names = [] }: Field): number {
  const named = names.indexOf(text)
  if (named !== -1) return min + named
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  if (min <= value && value <= max) return value
  throw new CrontabError(`has ${quoted(text)} as ${name}, which goes from ${min} to ${max}`)
}

function sundayOnce(days: readonly number[]): number[] {
  return [...new Set(days.map((day) => day % 7))].sort((a, b) => a - b)
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 40))
}
