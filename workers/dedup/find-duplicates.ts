/**
 * Finds the duplicates among a range's records from the window alone, before anything is decoded.
 * It cannot know whether an earlier copy in the same range becomes an event; it reports ids that
 * occur more than once, and the digest decides (digest-range.ts). Ids enter the window only after
 * the commit, and only those that the digest accepted, so a failed attempt changes nothing and a
 * range that is digested again is decided in the same way.
 *
 *   found = await findDuplicates(frames, window, lateIds)
 *   output = digest({ ..., duplicates: found.duplicates, repeated: found.repeated })
 *   insert, commit
 *   enterAccepted(window, found, output.acceptedRecords)
 */
import assert from 'node:assert'
import type { Frame } from '#schemas/bus/frame.ts'
import { recordOrdinal } from '../digest/record-ordinal.ts'
import { visitReadable } from '../partitions/range-frames.ts'
import { type IdWindow, secondOf } from './id-window.ts'
import type { LateId } from './known-ids.ts'

export interface DuplicateSearch {
  /** Ordinals of the records whose id was digested before, ascending. */
  readonly duplicates: Uint32Array
  /** Ordinals of the other records whose id occurs several times in this range, ascending. */
  readonly repeated: Uint32Array
  /** Ordinals of all records with an id that are not in `duplicates`, ascending. */
  readonly candidates: Uint32Array
  /** Three fingerprint words and the second of receipt for each of these records. */
  readonly fingerprints: Uint32Array
}

/**
 * Answers for each id whether it was digested before. The row store is asked for ids that the
 * window no longer covers.
 */
export type LateLookUp = (ids: readonly LateId[]) => Promise<readonly boolean[]>

export async function findDuplicates(
  frames: readonly { readonly frame: Frame | undefined }[],
  window: IdWindow,
  lookUpLate: LateLookUp,
): Promise<DuplicateSearch> {
  const records = new RangeRecords()
  for (const [frameIndex, { frame }] of frames.entries()) records.read(frame, frameIndex, window)
  const { count, words, late } = records
  const isDuplicate = new Uint8Array(count)
  for (let at = 0; at < count; at += 1) {
    const word = at * 4
    const known = window.has(words[word]!, words[word + 1]!, words[word + 2]!, words[word + 3]!)
    // mutant: mark-known-copy
    if (known) isDuplicate[at] = 1
  }
  if (late.length > 0) {
    const known = await lookUpLate(late.map(({ id }) => id))
    for (const [index, { at }] of late.entries()) if (known[index] === true) isDuplicate[at] = 1
  }
  return records.split(isDuplicate)
}

/**
 * Enters the accepted ids after the commit of the range. `acceptedRecords` are ordinals, ascending.
 */
export function enterAccepted(
  window: IdWindow,
  found: DuplicateSearch,
  acceptedRecords: Uint32Array,
): void {
  const { candidates, fingerprints } = found
  let at = 0
  for (const ordinal of acceptedRecords) {
    while (at < candidates.length && candidates[at]! < ordinal) at += 1
    assert(candidates[at] === ordinal)
    const word = at * 4
    window.enter(
      fingerprints[word]!,
      fingerprints[word + 1]!,
      fingerprints[word + 2]!,
      fingerprints[word + 3]!,
    )
  }
}

/** The records of a range that have an id, in columns instead of one object each. */
class RangeRecords {
  count = 0
  words = new Uint32Array(4 * 1024)
  #ordinals = new Uint32Array(1024)
  late: { readonly at: number; readonly id: LateId }[] = []

  /**
   * Ids read from a frame that then proves unreadable are harmless: none of them becomes an event.
   */
  read(frame: Frame | undefined, frameIndex: number, window: IdWindow): void {
    const { fingerprinter } = window
    let recordIndex = 0
    visitReadable(frame, (record) => {
      const ordinal = recordOrdinal(frameIndex, recordIndex)
      recordIndex += 1
      if (record.kind === 'outcomes') return
      const second = secondOf(record.receivedAtMs)
      fingerprinter.ofBytes(record.projectId, record.bytes, record.idStart)
      if (window.isLate(second)) {
        const { projectId, receivedAtMs, bytes, idStart } = record
        const recordId = bytes.toString('hex', idStart, idStart + 16)
        this.late.push({ at: this.count, id: { projectId, recordId, receivedAtMs } })
      }
      this.#add(ordinal, fingerprinter.a, fingerprinter.b, fingerprinter.c, second)
    })
  }

  split(isDuplicate: Uint8Array): DuplicateSearch {
    const duplicates: number[] = []
    const kept: number[] = []
    for (let at = 0; at < this.count; at += 1) {
      if (isDuplicate[at] === 1) duplicates.push(this.#ordinals[at]!)
      else kept.push(at)
    }
    const candidates = Uint32Array.from(kept, (at) => this.#ordinals[at]!)
    const fingerprints = new Uint32Array(kept.length * 4)
    for (const [index, at] of kept.entries()) {
      fingerprints.set(this.words.subarray(at * 4, at * 4 + 4), index * 4)
    }
    const repeated = findRepeated(candidates, fingerprints)
    return { duplicates: Uint32Array.from(duplicates), repeated, candidates, fingerprints }
  }

  #add(ordinal: number, a: number, b: number, c: number, second: number): void {
    if (this.count === this.#ordinals.length) {
      this.#ordinals = grown(this.#ordinals)
      this.words = grown(this.words)
    }
    this.#ordinals[this.count] = ordinal
    const word = this.count * 4
    this.words[word] = a
    this.words[word + 1] = b
    this.words[word + 2] = c
    this.words[word + 3] = second
    this.count += 1
  }
}

/** Finds the candidates that share a fingerprint, with a small hash table for this range. */
function findRepeated(candidates: Uint32Array, fingerprints: Uint32Array): Uint32Array {
  const slotCount = 2 ** Math.ceil(Math.log2(candidates.length * 2 + 2))
  /** Index + 1 of the first candidate with the fingerprint; 0 is an empty slot. */
  const firsts = new Uint32Array(slotCount)
  const isRepeated = new Uint8Array(candidates.length)
  let count = 0
  for (let index = 0; index < candidates.length; index += 1) {
    let slot = fingerprints[index * 4]! & (slotCount - 1)
    while (firsts[slot] !== 0 && !sameFingerprint(fingerprints, firsts[slot]! - 1, index)) {
      slot = (slot + 1) & (slotCount - 1)
    }
    const first = firsts[slot]! - 1
    if (first < 0) {
      firsts[slot] = index + 1
      continue
    }
    count += 2 - isRepeated[first]!
    isRepeated[first] = 1
    isRepeated[index] = 1
  }
  const repeated = new Uint32Array(count)
  let at = 0
  for (let index = 0; index < candidates.length; index += 1) {
    if (isRepeated[index] === 1) repeated[at++] = candidates[index]!
  }
  return repeated
}

function sameFingerprint(fingerprints: Uint32Array, left: number, right: number): boolean {
  const a = left * 4
  const b = right * 4
  return (
    fingerprints[a] === fingerprints[b] &&
    fingerprints[a + 1] === fingerprints[b + 1] &&
    fingerprints[a + 2] === fingerprints[b + 2]
  )
}

function grown(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2)
  larger.set(array)
  return larger
}
