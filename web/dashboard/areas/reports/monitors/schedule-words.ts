/**
 * A schedule in words: `Every day at 03:00`, `Every 2 hours`. A crontab that has no short sentence
 * is shown unchanged. The server has validated it, so unknown text never fails here.
 */

export type Schedule =
  | { readonly type: 'crontab'; readonly value: string }
  | { readonly type: 'interval'; readonly value: number; readonly unit: string }

const nicknames: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const timesMax = 4

export function scheduleWords(schedule: Schedule | null): string {
  if (schedule === null) return 'No schedule'
  if (schedule.type === 'interval') {
    const { value, unit } = schedule
    return value === 1 ? `Every ${unit}` : `Every ${value.toLocaleString('en')} ${unit}s`
  }
  return crontabWords(schedule.value) ?? `Crontab ${schedule.value}`
}

/** Undefined when the crontab has no short sentence. */
export function crontabWords(text: string): string | undefined {
  const plain = text.trim().toLowerCase()
  const fields = (nicknames[plain] ?? plain).split(/\s+/)
  if (fields.length !== 5) return undefined
  const [minute = '', hour = '', date = '', month = '', weekday = ''] = fields
  const when = timeWords(minute, hour)
  const on = dayWords(date, weekday)
  const monthText = month === '*' ? '' : listWords(month, 1, months)
  if (when === undefined || on === undefined || monthText === undefined) return undefined
  const inMonths = monthText === '' ? '' : ` in ${monthText}`
  if (when.kind === 'often') {
    const limited = on === '' ? '' : ` ${on}`
    return `${when.text}${limited}${inMonths}`
  }
  // Without a day, `0 3 * * *` is every day; with one, it is named first.
  const day = on === '' ? 'Every day' : dayStart(on)
  return `${day}${inMonths} at ${when.text}`
}

/** `Every Monday`, but `Monday to Friday` and `On day 1 of the month`. */
function dayStart(on: string): string {
  if (/^on days? \d/.test(on)) return `O${on.slice(1)}`
  const names = on.slice('on '.length)
  return names.includes(' to ') ? names : `Every ${names}`
}

type Words =
  | { readonly kind: 'often'; readonly text: string }
  | { readonly kind: 'times'; readonly text: string }

function timeWords(minute: string, hour: string): Words | undefined {
  const every = /^(?:\*|0)\/(\d{1,2})$/.exec(minute)?.[1]
  const hours = numbersOf(hour, 0, 23)
  if (hours === undefined) return undefined
  if (minute === '*' || every !== undefined) {
    const count = Number(every ?? 1)
    const within = hour === '*' ? '' : hoursWords(hour)
    // `*/7` restarts with every hour, so it is no steady interval.
    if (within === undefined || count === 0 || 60 % count !== 0) return undefined
    return {
      kind: 'often',
      text: `${count === 1 ? 'Every minute' : `Every ${count} minutes`}${within}`,
    }
  }
  const minutes = numbersOf(minute, 0, 59)
  if (minutes === undefined) return undefined
  if (hour === '*') {
    if (minutes.length > timesMax) return undefined
    const past = minutes.map((one) => `:${two(one)}`)
    return minutes.length === 1 && minutes[0] === 0
      ? { kind: 'often', text: 'Every hour' }
      : { kind: 'often', text: `Every hour at ${joined(past)}` }
  }
  const stepHours = /^(?:\*|0)\/(\d{1,2})$/.exec(hour)?.[1]
  if (stepHours !== undefined && minutes.length === 1 && 24 % Number(stepHours) === 0) {
    const at = minutes[0] === 0 ? '' : ` at :${two(minutes[0]!)}`
    return {
      kind: 'often',
      text: `Every ${stepHours === '1' ? 'hour' : `${stepHours} hours`}${at}`,
    }
  }
  if (hours.length * minutes.length > timesMax) return undefined
  const times = hours.flatMap((h) => minutes.map((m) => `${two(h)}:${two(m)}`))
  return { kind: 'times', text: joined(times) }
}

/** ` from 09:00 to 17:59` for a range of hours; empty for all. */
function hoursWords(hour: string): string | undefined {
  const range = /^(\d{1,2})-(\d{1,2})$/.exec(hour)
  if (range !== null) return ` from ${two(Number(range[1]))}:00 to ${two(Number(range[2]))}:59`
  if (!/^\d{1,2}$/.test(hour)) return undefined
  const one = two(Number(hour))
  return ` from ${one}:00 to ${one}:59`
}

/** `on Monday to Friday`, `on day 1 of the month`; empty for every day. */
function dayWords(date: string, weekday: string): string | undefined {
  const onDates =
    date === '*'
      ? ''
      : numbersOf(date, 1, 31) === undefined
        ? undefined
        : datesWords(numbersOf(date, 1, 31)!)
  const onDays = weekday === '*' ? '' : listWords(weekday, 0, days)
  if (onDates === undefined || onDays === undefined) return undefined
  if (onDates !== '' && onDays !== '') return `on ${onDates} or on ${onDays}`
  if (onDates === '' && onDays === '') return ''
  return `on ${onDates}${onDays}`
}

function datesWords(dates: readonly number[]): string | undefined {
  if (dates.length > timesMax) return undefined
  return `${dates.length === 1 ? 'day' : 'days'} ${joined(dates.map(String))} of the month`
}

/** Names of a list and of a range: `Monday to Friday`, `Monday and Thursday`. */
function listWords(text: string, first: number, names: readonly string[]): string | undefined {
  const indexOfName = (part: string) => {
    const named = names.findIndex((name) => name.slice(0, 3).toLowerCase() === part)
    if (named !== -1) return named
    if (!/^\d{1,2}$/.test(part)) return undefined
    // 7 is Sunday, too.
    const index = (Number(part) - first) % (first === 0 ? 7 : Number.POSITIVE_INFINITY)
    return index >= 0 && index < names.length ? index : undefined
  }
  const parts: string[] = []
  for (const part of text.split(',')) {
    const [from = '', to, ...rest] = part.split('-')
    const start = indexOfName(from)
    const end = to === undefined ? start : indexOfName(to)
    if (start === undefined || end === undefined || rest.length > 0) return undefined
    parts.push(start === end ? names[start]! : `${names[start]!} to ${names[end]!}`)
  }
  return parts.length > timesMax ? undefined : joined(parts)
}

/** The values of a numeric field. Undefined when it cannot be read. */
function numbersOf(text: string, min: number, max: number): readonly number[] | undefined {
  const values = new Set<number>()
  for (const part of text.split(',')) {
    const match = /^(?:(\*)|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part)
    if (match === null) return undefined
    const [, star, from, to, step] = match
    const size = step === undefined ? 1 : Number(step)
    const start = star === undefined ? Number(from) : min
    const open = star !== undefined || (to === undefined && step !== undefined)
    const end = open ? max : Number(to ?? from)
    if (size < 1 || start < min || end > max) return undefined
    for (let value = start; value <= end; value += size) values.add(value)
  }
  return [...values].sort((a, b) => a - b)
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

function joined(parts: readonly string[]): string {
  if (parts.length < 2) return parts[0] ?? ''
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
