/**
 * The partition of a record: a fixed hash of project and record id, defined here so that every
 * process of every version agrees (test vectors beside it). Records of one project with equal ids
 * are in one partition, so duplicates can be found there. The same holds for records with equal
 * partition keys, which replace the id.
 */
import assert from 'node:assert'
import type { ProjectId } from '../ids.ts'

/** @param recordId 16 bytes at `offset`. */
export function partitionOf(
  projectId: ProjectId,
  recordId: Uint8Array,
  offset: number,
  partitionCount: number,
): number {
  assert(offset + 16 <= recordId.length)
  let hash = Math.imul(projectId % 0x1_0000_0000, 0x9e37_79b1)
  hash = mix(hash ^ Math.imul(Math.floor(projectId / 0x1_0000_0000), 0x85eb_ca77))
  for (let word = offset; word < offset + 16; word += 4) {
    const bits =
      recordId[word]! |
      (recordId[word + 1]! << 8) |
      (recordId[word + 2]! << 16) |
      (recordId[word + 3]! << 24)
    hash = mix(hash ^ bits)
  }
  return (hash >>> 0) % partitionCount
}

/** Finalizer of MurmurHash3: every input bit reaches every output bit. */
function mix(word: number): number {
  let h = word
  h = Math.imul(h ^ (h >>> 16), 0x85eb_ca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2_ae35)
  return h ^ (h >>> 16)
}
