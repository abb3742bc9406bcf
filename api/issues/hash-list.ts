/**
 * Passes a list of grouping hashes to a query as one string of hex digits, because a list of quoted
 * UUIDs would make the URL half as long again.
 */
import { undashed } from '#schemas/ids.ts'

export function joinHashes(hashes: readonly string[]): string {
  return hashes.map(undashed).join('')
}

/**
 * The parameter `hashes` as an array of UUIDs. ClickHouse treats it as a constant, so the primary
 * key is used.
 */
export const hashesGiven = `arrayMap(
  at -> toUUID(substring({hashes:String}, at * 32 + 1, 32)),
  range(intDiv(length({hashes:String}), 32)))`
