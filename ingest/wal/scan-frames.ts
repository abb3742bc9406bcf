/**
 * Reads the frames of a segment file, which are stored end to end. An interrupted write may leave
 * half a frame at the end, and a damaged disk a broken one in the middle. Both are skipped by
 * searching for the start of the next frame.
 */
import { decodeFrame, FrameError, type FrameNumber, frameHeaderBytes } from '#schemas/bus/frame.ts'

export interface ScannedFrame {
  readonly number: FrameNumber
  /** A view into the file's bytes. */
  readonly bytes: Buffer
}

const magic = Buffer.from('SLUF')
const bodyBytesOffset = 36

/** Calls back for each complete frame in order. Returns the number of bytes outside of frames. */
export function scanFrames(file: Buffer, visit: (frame: ScannedFrame) => void): number {
  let at = 0
  let skipped = 0
  while (at < file.length) {
    const bytes = frameAt(file, at)
    const number = bytes && numberOf(bytes)
    if (bytes !== undefined && number !== undefined) {
      visit({ number, bytes })
      at += bytes.length
      continue
    }
    const next = file.indexOf(magic, at + 1)
    const end = next === -1 ? file.length : next
    skipped += end - at
    at = end
  }
  return skipped
}

function frameAt(file: Buffer, at: number): Buffer | undefined {
  if (file.length - at < frameHeaderBytes) return undefined
  const bytes = frameHeaderBytes + file.readUInt32LE(at + bodyBytesOffset)
  return file.length - at < bytes ? undefined : file.subarray(at, at + bytes)
}

function numberOf(bytes: Buffer): FrameNumber | undefined {
  try {
    const { instanceId, partition, counter } = decodeFrame(bytes)
    return { instanceId, partition, counter }
  } catch (error) {
    if (error instanceof FrameError) return undefined
    throw error
  }
}
