/**
 * Passes a list of grouping hashes to a query as one string of hex digits, because a list of quoted
 * UUIDs would make the URL half as long again.
 */
import { undashed } from '#schemas/ids.ts'

export function joinHashes(hashes: readonly string[]): string {
  return hashes.map(undashed).join('')
}

/** The parameter `hashes` as an array of UUIDs. */
export const hashesGiven = `arrayMap(
  at -> toUUID(substring({hashes:String}, at * 32 + 1, 32)),
  range(intDiv(length({hashes:String}), 32)))`

/**
 * Whether the event has one of the hashes. ClickHouse makes a set of a subquery, looks each hash up
 * in it and uses the primary key; `has` would compare each hash with all of an array.
 */
export const isOneOfHashes = `fingerprint in (select arrayJoin(${hashesGiven}))`
