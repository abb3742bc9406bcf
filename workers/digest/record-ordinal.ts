import { recordsPerFrameMax } from '#schemas/limits.ts'

/**
 * The position of a record in a range as one number, ascending in stream order. Frames are counted
 * in the order of the digest's input, so an ordinal is only valid for the same list of frames.
 */
export function recordOrdinal(frameIndex: number, recordIndex: number): number {
  return frameIndex * recordsPerFrameMax + recordIndex
}
