/**
 * Reads events near a time in slices, the nearest first, until there are enough of them. A day of
 * events costs as much as its rows lie apart, so nothing beyond the last slice is read.
 */
const dayMs = 86_400_000
/** Each slice ends this many times as far away as the one before it. */
const growth = 8
/** A slice that would end further away than this has no end. */
const sliceDaysMax = 60
/** Events of an issue are not spread evenly: this many times the days that they need on average. */
const spare = 2

/** Where the events of an issue lie; times in milliseconds, by when they occurred. */
export interface Spread {
  readonly firstMs: number
  readonly lastMs: number
  readonly count: number
}

export interface SliceSearch {
  /** The first slice also has everything on the other side of this time. */
  readonly startMs: number
  readonly towards: 'older' | 'newer'
  readonly limit: number
  /** Days of the first slice. */
  readonly days: number
  readonly nowMs: number
}

export interface Slice {
  readonly conditions: readonly string[]
  /** The time of the oldest event that it can have; undefined: any. */
  readonly sinceMs: number | undefined
}

/** The rows of each slice must come nearest first, so that all rows do. */
export async function readSlices<Row>(
  search: SliceSearch,
  read: (slice: Slice, limit: number) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const { startMs, towards, limit, nowMs } = search
  const rows: Row[] = []
  let before: string[] = []
  for (let days = search.days; ; days *= growth) {
    const endMs = towards === 'older' ? startMs - days * dayMs : startMs + days * dayMs
    const isLast = days > sliceDaysMax || (towards === 'newer' && endMs >= nowMs)
    const end = isLast ? [] : [`received_at ${towards === 'older' ? '>=' : '<='} ${instant(endMs)}`]
    const sinceMs = isLast || towards === 'newer' ? undefined : endMs
    rows.push(...(await read({ conditions: [...before, ...end], sinceMs }, limit - rows.length)))
    if (isLast || rows.length >= limit) return rows
    before = [`received_at ${towards === 'older' ? '<' : '>'} ${instant(endMs)}`]
  }
}

export function spreadOf(issue: {
  readonly first_seen: Date
  readonly last_seen: Date
  readonly count: number
}): Spread {
  const { first_seen: first, last_seen: last, count } = issue
  return { firstMs: first.getTime(), lastMs: last.getTime(), count }
}

/** Days in which an issue is likely to have this many events; 1 for events of any issue. */
export function daysOf(spread: Spread | undefined, limit: number): number {
  if (spread === undefined) return 1
  const days = Math.max(0, spread.lastMs - spread.firstMs) / dayMs
  return Math.max(1, Math.ceil((spare * limit * days) / Math.max(1, spread.count)))
}

/** A time as an expression of ClickHouse. */
export function instant(ms: number): string {
  return `fromUnixTimestamp64Milli(toInt64(${Math.trunc(ms)}))`
}
