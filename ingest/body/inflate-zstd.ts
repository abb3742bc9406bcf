/**
 * zstd is in `node:zlib` from Node 22.15 only. Below that a JavaScript decoder does it: it would
 * allocate whatever window the stream asks for, so the frame header is checked here first, and it is
 * fed in slices so that other requests get their turn.
 */
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { Decompress } from 'fzstd'
import { KiB, MiB } from '#schemas/limits.ts'

type Inflated = Buffer | 'corrupt' | 'too_large'

/** RFC 8878 asks decoders to support at least this much, and tells encoders to stay below. */
const windowBytesMax = 8 * MiB
const sliceBytes = 16 * KiB

type Native = (
  bytes: Uint8Array,
  options: { maxOutputLength: number },
  done: (error: Error | null, result: Buffer) => void,
) => void
const native: Native | undefined = Reflect.get(zlib, 'zstdDecompress')

export async function inflateZstd(bytes: Uint8Array, bytesMax: number): Promise<Inflated> {
  const window = zstdWindowBytes(bytes)
  if (window === undefined) return 'corrupt'
  if (Math.max(windowBytesMax, bytesMax) < window) return 'too_large'
  return native === undefined
    ? inflateInSlices(bytes, bytesMax)
    : inflateNatively(native, bytes, bytesMax)
}

async function inflateNatively(
  decompress: Native,
  bytes: Uint8Array,
  bytesMax: number,
): Promise<Inflated> {
  try {
    return await promisify<Uint8Array, { maxOutputLength: number }, Buffer>(decompress)(bytes, {
      maxOutputLength: bytesMax,
    })
  } catch (error) {
    return error instanceof RangeError ? 'too_large' : 'corrupt'
  }
}

async function inflateInSlices(bytes: Uint8Array, bytesMax: number): Promise<Inflated> {
  const parts: Uint8Array[] = []
  let length = 0
  const decoder = new Decompress((part) => {
    length += part.length
    if (length <= bytesMax) parts.push(part.slice())
  })
  try {
    for (let at = 0; at < bytes.length; at += sliceBytes) {
      const slice = bytes.slice(at, at + sliceBytes)
      decoder.push(slice, at + sliceBytes >= bytes.length)
      if (bytesMax < length) return 'too_large'
      await setImmediate()
    }
  } catch {
    return 'corrupt'
  }
  return Buffer.concat(parts, length)
}

const magic = 0xfd2f_b528

/** What the first frame wants to be kept in memory (RFC 8878, 3.1.1.1); undefined when it is none. */
function zstdWindowBytes(bytes: Uint8Array): number | undefined {
  if (bytes.length < 6) return undefined
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.readUInt32LE(0) !== magic) return undefined
  const descriptor = view[4]!
  const singleSegment = (descriptor & 0x20) !== 0
  if (!singleSegment) {
    const base = 2 ** (10 + (view[5]! >> 3))
    return base + (base / 8) * (view[5]! & 7)
  }
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]!
  const sizeBytes = [1, 2, 4, 8][descriptor >> 6]!
  const sizeStart = 5 + dictionaryBytes
  if (view.length < sizeStart + sizeBytes) return undefined
  if (sizeBytes === 8) return Number(view.readBigUInt64LE(sizeStart))
  return view.readUIntLE(sizeStart, sizeBytes) + (sizeBytes === 2 ? 256 : 0)
}
