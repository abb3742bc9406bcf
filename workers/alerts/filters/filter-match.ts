/**
 * The events of one issue sum that match a filter of alert rules, and their form in the answer of a
 * thread: one flat list of numbers and texts, which is copied in a tenth of the time of objects.
 */
import type { StoredText } from '#schemas/stored-text.ts'

export interface MatchedEvent {
  /** 32 lowercase hex digits. */
  readonly eventId: string
  readonly release: StoredText
  readonly environment: StoredText
}

export interface FilterMatch {
  /** Index in the filters of the project (`filtersOf`). */
  readonly filter: number
  readonly first: MatchedEvent
  /** Undefined if one event is enough for the rules of the filter. */
  readonly counted?: CountedEvents | undefined
}

export interface CountedEvents {
  readonly lastReceivedMs: number
  /** Events by the minute of their receipt, since 1970. Empty if no rule counts them. */
  readonly minutes: readonly (readonly [minute: number, count: number])[]
  /** Hashes of users; at most `matchedUsersMax`. */
  readonly users: readonly number[]
  /** The first event of each release; at most `matchedReleasesMax`. */
  readonly releases: readonly MatchedEvent[]
}

/** Events of further minutes count in the last one. A range seldom spans more than one minute. */
export const matchedMinutesMax = 240
/** Further users of a range are counted when a later range names them. */
export const matchedUsersMax = 1_000
/** Further releases of a range are looked at when a later range names them. */
export const matchedReleasesMax = 32

/** Two of them, one after the other, hold the matches of both. */
export type PackedMatches = readonly (number | string)[]

/**
 * Matches that begin with the same event form a group: the event, the number of filters without a
 * count and their indexes, the number of filters with a count and those.
 */
export function packMatches(matches: readonly FilterMatch[]): PackedMatches {
  const groups = new Map<string, FilterMatch[]>()
  for (const match of matches) {
    const group = groups.get(match.first.eventId)
    if (group === undefined) groups.set(match.first.eventId, [match])
    else group.push(match)
  }
  const packed: (number | string)[] = []
  for (const group of groups.values()) {
    packEvent(packed, group[0]!.first)
    const countAt = packed.push(0) - 1
    for (const { filter, counted } of group) if (counted === undefined) packed.push(filter)
    const plain = packed.length - countAt - 1
    packed[countAt] = plain
    packed.push(group.length - plain)
    for (const { filter, counted } of group) {
      if (counted !== undefined) packCounted(packed, filter, counted)
    }
  }
  return packed
}

function packEvent(packed: (number | string)[], event: MatchedEvent): void {
  packed.push(event.eventId, event.release, event.environment)
}

function packCounted(packed: (number | string)[], filter: number, counted: CountedEvents): void {
  const { lastReceivedMs, minutes, users, releases } = counted
  packed.push(filter, lastReceivedMs, minutes.length)
  for (const [minute, count] of minutes) packed.push(minute, count)
  packed.push(users.length)
  for (const user of users) packed.push(user)
  packed.push(releases.length)
  for (const event of releases) packEvent(packed, event)
}

export function unpackMatches(packed: PackedMatches): readonly FilterMatch[] {
  const matches: FilterMatch[] = []
  let at = 0
  const number = () => packed[at++] as number
  const text = () => packed[at++] as StoredText
  const event = (): MatchedEvent => ({ eventId: text(), release: text(), environment: text() })
  const several = <Item>(read: () => Item): Item[] => Array.from({ length: number() }, read)
  while (at < packed.length) {
    const first = event()
    for (const filter of several(number)) matches.push({ filter, first })
    for (let left = number(); left > 0; left -= 1) {
      const filter = number()
      const counted = {
        lastReceivedMs: number(),
        minutes: several(() => [number(), number()] as const),
        users: several(number),
        releases: several(event),
      }
      matches.push({ filter, first, counted })
    }
  }
  return matches
}
