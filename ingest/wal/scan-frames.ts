/**
 * The frames of a log file, end to end as they were written. Behind a write that was cut off there may be half a
 * frame; a damaged disk may hold a broken one in the middle. Both are passed over by looking for the next beginning.
 */
import { decodeFrame, FrameError, type FrameNumber, frameHeaderBytes } from '#schemas/bus/frame.ts'

export interface ScannedFrame {
  readonly number: FrameNumber
  /** A view into the file's bytes. */
  readonly bytes: Buffer
}

const magic = Buffer.from('SLUF')
const bodyBytesOffset = 36

/** Calls back for each whole frame in turn; returns how many bytes belong to none. */
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
