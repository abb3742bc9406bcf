/** The forms in which programs, servers and people write dates and times of day. Part of g1. */

// cspell:ignore YMWD nuµμm

const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}'
const day = '(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?'

/** A day, or a time of day alone; what follows a day is read by `endOfDate`. */
export const datePattern = [
  // ISO 8601, also in its basic form and with a week
  '\\d{4}-\\d{2}-\\d{2}(?=T|(?![A-Za-z0-9]))',
  '\\d{8}T\\d{4,6}(?:[.,]\\d{1,9})?(?=Z|(?![A-Za-z0-9]))',
  '\\d{4}-W\\d{2}(?:-\\d)?(?![A-Za-z0-9])',
  '\\d{4}[/.]\\d{1,2}[/.]\\d{1,2}(?![A-Za-z0-9])',
  '\\d{1,2}[/.]\\d{1,2}[/.](?:\\d{4}|\\d{2}(?=,? \\d{1,2}:))(?![A-Za-z0-9])',
  '\\d{1,2}-\\d{1,2}-\\d{4}(?![A-Za-z0-9])',
  // `20 Nov 2026`, `20-Nov-26`, `20/Nov/2026:10:11:12 +0000`
  `${day}\\d{1,2}(?:st|nd|rd|th)?[ /-]${month},?[ /-]\\d{2,4}(?![A-Za-z0-9])`,
  // `Nov 20, 2026`, and with the time before the year or without one: `Nov 20 10:11:12 2026`
  `${day}${month} {1,2}\\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4}(?![A-Za-z0-9:])|(?= \\d{1,2}:\\d{2}))`,
  '\\d{4}年\\d{1,2}月\\d{1,2}日',
  'datetime\\.(?:datetime|date|time)\\([0-9, ]{1,60}(?:, tzinfo=[^()\\s]{1,60})?\\)',
  '\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?(?: ?[AP]M)?|(?: ?[AaPp][Mm]))(?![A-Za-z0-9])',
].join('|')

const clockAfterDay =
  /(?:T|_|:| {1,2}|, | at |, at )\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?[AaPp]\.?[Mm]\.?(?![A-Za-z]))?/y
const zone =
  / ?(?:(?:GMT|UTC)(?:[+-]\d{1,4})?|UT|[ECMP][SD]T|CES?T|BST|MSK|IST|JST|Z|[+-]\d{2}(?::?\d{2})?)(?![A-Za-z0-9-])/y
const zoneName = /\[[A-Za-z_/]{2,40}\]| \([A-Za-z ]{1,40}\)| m=[+-]\d{1,12}\.\d{1,9}/y
const restOfWord = /[A-Za-z0-9]+/y
const yearAtEnd = / \d{4}(?![A-Za-z0-9:.-])/y

/** Where the date that begins before `end` ends, with its time of day and zone. */
export function endOfDate(text: string, end: number): number {
  const afterClock = endOf(clockAfterDay, text, end)
  const afterZone = endOf(zone, text, afterClock)
  // Go writes the offset and the name: `+0000 UTC`
  const afterZones = afterZone === afterClock ? afterZone : endOf(zone, text, afterZone)
  const afterName = endOf(zoneName, text, afterZones)
  const last = afterClock === end ? afterName : endOf(yearAtEnd, text, afterName)
  return endOf(restOfWord, text, last)
}

function endOf(part: RegExp, text: string, from: number): number {
  part.lastIndex = from
  return part.test(text) ? part.lastIndex : from
}

const unit =
  '(?:[nuµμm]s|msecs?|(?:milli|micro|nano)?sec(?:ond)?s?|min(?:ute)?s?|h(?:ou)?rs?|days?|weeks?|months?|years?)'

export const durationPattern = [
  `\\d+(?:\\.\\d+)?(?: ?${unit}|[smhd])`,
  // `1m30.5s` of Go, `PT15M` of ISO 8601
  '(?:\\d{1,9}(?:\\.\\d{1,9})?(?:h|ms?|s|us|µs|ns)){2,6}',
  'P(?=[0-9]|T[0-9])(?:\\d{1,6}[YMWD]){0,4}(?:T(?:\\d{1,9}(?:\\.\\d{1,9})?[HMS]){1,3})?',
].join('|')
