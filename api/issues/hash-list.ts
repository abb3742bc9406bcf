/**
 * How a list of grouping hashes travels in a query: as one long string of hex digits, for a list of
 * quoted UUIDs would be half as long again in the URL.
 */
import { undashed } from '#schemas/ids.ts'

export function joinHashes(hashes: readonly string[]): string {
  return hashes.map(undashed).join('')
}

/** The parameter `hashes` as an array of UUIDs. A constant to the engine, so the primary key serves it. */
export const hashesGiven = `arrayMap(
  at -> toUUID(substring({hashes:String}, at * 32 + 1, 32)),
  range(intDiv(length({hashes:String}), 32)))`
