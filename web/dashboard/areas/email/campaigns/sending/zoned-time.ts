/** Times of the clock on the wall of a time zone, as the field for date and time has them. */

const wallPattern = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)/

/** `2026-11-24T08:30` of an instant, in the zone. */
export function wallTime(atMs: number, zone: string): string {
  const parts = new Map(
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    })
      .formatToParts(atMs)
      .map(({ type, value }) => [type, value]),
  )
  const of = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? ''
  return `${of('year').padStart(4, '0')}-${of('month')}-${of('day')}T${of('hour')}:${of('minute')}`
}

/**
 * The instant of a wall time. A time that the change to summer time skips is moved by an hour; of a
 * time that occurs twice, the first is taken. Undefined for text that is no time.
 */
export function instantOfWall(wall: string, zone: string): number | undefined {
  const match = wallPattern.exec(wall)
  if (match === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = match.slice(1).map(Number)
  const asUtc = Date.UTC(year, month - 1, day, hour, minute)
  const date = new Date(asUtc)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  const guesses = [
    asUtc - offsetMs(asUtc - 86_400_000, zone),
    asUtc - offsetMs(asUtc + 86_400_000, zone),
  ]
  const exact = guesses.filter((guess) => wallTime(guess, zone) === wall.slice(0, 16))
  return exact.length > 0 ? Math.min(...exact) : guesses[0]
}

function offsetMs(atMs: number, zone: string): number {
  const floored = Math.floor(atMs / 60_000) * 60_000
  return Date.parse(`${wallTime(floored, zone)}:00Z`) - floored
}

/** The zone of this browser. */
export function localZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** This browser's zone and UTC first, then all others. */
export function timeZones(local: string): string[] {
  return [...new Set([local, 'UTC', ...Intl.supportedValuesOf('timeZone')])]
}

/** Tuesday, 24 Nov 2026, 08:30 GMT+1 */
export function formatInZone(atMs: number, zone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'long',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(atMs)
}
