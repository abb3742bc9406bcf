import { recordsPerFrameMax } from '#schemas/limits.ts'

/**
 * The place of a record in a range as one number, ascending in the order of the log. Frames are
 * counted as they are handed to the digest, so it means nothing beside another choice of frames.
 */
export function recordOrdinal(frameIndex: number, recordIndex: number): number {
  return frameIndex * recordsPerFrameMax + recordIndex
}
