/**
 * Reads the structure of a zstd body (RFC 8878) without decoding it. Accepted is exactly one frame
 * whose blocks end where the body ends, and that needs no more memory than a body may use. The RFC
 * allows several frames, but no client sends them, and each could request its own window.
 */
import assert from 'node:assert'
import { KiB, MiB } from '#schemas/limits.ts'

export interface ZstdFrame {
  /** Window size for decoding, at most the size of the output. */
  readonly windowBytes: number
  /** Declared content size, if present. */
  readonly contentBytes: number | undefined
  /** The blocks are `bytes[blocksStart, blocksEnd)`. Only a checksum may follow. */
  readonly blocksStart: number
  readonly blocksEnd: number
}

/** RFC 8878 asks decoders to support at least this window, and encoders to stay below it. */
const windowSupportedBytes = 8 * MiB
/** Block_Maximum_Size, compressed and decompressed. */
const blockBytesMax = 128 * KiB
/** Encoders that flush often write small blocks, but not millions of them. */
const blocksMax = 65_536
const magic = 0xfd2f_b528

export function readZstdFrame(
  bytes: Uint8Array,
  bytesMax: number,
): ZstdFrame | 'corrupt' | 'too_large' {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const header = readHeader(view)
  if (header === undefined) return 'corrupt'
  const { contentBytes, blocksStart } = header
  if (Math.max(windowSupportedBytes, bytesMax) < header.windowBytes) return 'too_large'
  if (contentBytes !== undefined && bytesMax < contentBytes) return 'too_large'

  let at = blocksStart
  let knownBytes = 0
  let compressedCount = 0
  let isLast = false
  for (let blockCount = 0; !isLast; blockCount += 1) {
    if (blockCount === blocksMax) return 'too_large'
    if (view.length < at + 3) return 'corrupt'
    const block = view.readUIntLE(at, 3)
    const blockBytes = block >> 3
    const type = blockTypes[(block >> 1) & 3]
    if (type === undefined || blockBytesMax < blockBytes) return 'corrupt'
    if (type === 'compressed') compressedCount += 1
    else knownBytes += blockBytes
    if (bytesMax < knownBytes) return 'too_large'
    at += 3 + (type === 'rle' ? 1 : blockBytes)
    isLast = (block & 1) === 1
  }
  if (view.length !== at + header.checksumBytes) return 'corrupt'
  const outBytesMax = Math.min(bytesMax, knownBytes + compressedCount * blockBytesMax)
  const windowBytes = Math.min(header.windowBytes, Math.max(outBytesMax, blockBytesMax))
  return { windowBytes, contentBytes, blocksStart, blocksEnd: at }
}

const blockTypes = ['raw', 'rle', 'compressed'] as const

interface Header {
  readonly windowBytes: number
  readonly contentBytes: number | undefined
  readonly checksumBytes: number
  readonly blocksStart: number
}

function readHeader(view: Buffer): Header | undefined {
  if (view.length < 6 || view.readUInt32LE(0) !== magic) return undefined
  const descriptor = view[4]!
  const isSingleSegment = (descriptor & 0x20) !== 0
  const isReserved = (descriptor & 0x08) !== 0
  // A frame that names a dictionary cannot be decoded without it.
  if (isReserved || (descriptor & 3) !== 0) return undefined
  const checksumBytes = (descriptor & 0x04) !== 0 ? 4 : 0

  const sizeStart = isSingleSegment ? 5 : 6
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]!
  const blocksStart = sizeStart + sizeBytes
  if (view.length < blocksStart) return undefined
  const contentBytes = sizeBytes === 0 ? undefined : sizeAt(view, sizeStart, sizeBytes)
  const windowBytes = isSingleSegment ? (contentBytes ?? 0) : windowOf(view[5]!)
  return { windowBytes, contentBytes, checksumBytes, blocksStart }
}

function sizeAt(view: Buffer, start: number, sizeBytes: number): number {
  if (sizeBytes === 8) return Number(view.readBigUInt64LE(start))
  return view.readUIntLE(start, sizeBytes) + (sizeBytes === 2 ? 256 : 0)
}

function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3))
  return base + (base / 8) * (descriptor & 7)
}

/** The same blocks behind a new header, which declares the window they need and no checksum. */
export function reframe(bytes: Uint8Array, frame: ZstdFrame): Uint8Array<ArrayBuffer> {
  const framed = new Uint8Array(6 + frame.blocksEnd - frame.blocksStart)
  Buffer.from(framed.buffer).writeUInt32LE(magic, 0)
  framed[5] = windowDescriptor(frame.windowBytes)
  framed.set(bytes.subarray(frame.blocksStart, frame.blocksEnd), 6)
  return framed
}

/** The smallest window that is large enough, at least 1 KiB. */
function windowDescriptor(windowBytes: number): number {
  for (let descriptor = 0; descriptor < 256; descriptor += 1) {
    if (windowBytes <= windowOf(descriptor)) return descriptor
  }
  assert.fail('the window was bounded before')
}
