/**
 * Decodes the Content-Encoding of a body. The compressed size is not trusted: the output is capped
 * while it grows. Bodies of common sizes are inflated synchronously, which costs half of a round
 * through the thread pool; the rest goes through the pool. Bodies that may be large are measured
 * first in a pass that keeps no output, so that a decompression bomb costs time and no memory.
 */
import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { KiB } from '#schemas/limits.ts'
import type { BodyEncoding } from './body-encoding.ts'

export type Inflated = Buffer | 'corrupt' | 'too_large'

/**
 * Compressed bytes up to which a body is inflated synchronously: an event of 50 KB has 10. It takes
 * 86 µs, and 184 µs of CPU through the thread pool. Larger bodies would block the thread that
 * receives all requests for too long.
 */
export const inflateNowBytesMax = 32 * KiB
const inflatedNowBytesMax = 128 * KiB
/** Smallest output of one step, and that of bodies which do not state their length. */
const stepBytesMin = 16 * KiB
/** Output of one step through the thread pool. A typical body takes one step. */
const smallStepBytes = 128 * KiB
const largeStepBytes = 64 * KiB

/** Undefined when the body must go through the thread pool. */
export function inflateNow(
  bytes: Uint8Array,
  encoding: BodyEncoding,
  bytesMax: number,
): Inflated | undefined {
  if (encoding === 'identity' || encoding === 'zstd') return undefined
  if (bytes.length === 0) return 'corrupt'
  if (inflateNowBytesMax < bytes.length) return undefined
  const cap = Math.min(inflatedNowBytesMax, bytesMax)
  const hint = lengthInTrailer(bytes, encoding)
  if (hint !== undefined && cap < hint && cap < bytesMax) return undefined
  // One byte more, because a full buffer causes another step. A wrong length must not cause many.
  const chunkSize = Math.min(Math.max((hint ?? 0) + 1, stepBytesMin), inflatedNowBytesMax)
  try {
    return inflateSync(bytes, encoding, { maxOutputLength: cap, chunkSize })
  } catch (error) {
    if (!isOverCap(error)) return 'corrupt'
    return cap === bytesMax ? 'too_large' : undefined
  }
}

/**
 * The inflated length with which a gzip body ends: one buffer of that size suffices, and memory
 * outside V8's heap drives the garbage collector. Only a hint: it may be wrong, and a body of
 * several members ends with the length of the last one.
 */
function lengthInTrailer(bytes: Uint8Array, encoding: ZlibEncoding): number | undefined {
  const at = bytes.length - 4
  if (encoding !== 'gzip' || at < 0) return undefined
  return new DataView(bytes.buffer, bytes.byteOffset + at, 4).getUint32(0, true)
}

/** @param bytes must not change until this settles. */
export async function inflateSmall(
  bytes: Uint8Array,
  encoding: ZlibEncoding,
  bytesMax: number,
): Promise<Inflated> {
  if (bytes.length === 0) return 'corrupt'
  try {
    return await inflateAsync(bytes, encoding, {
      maxOutputLength: bytesMax,
      chunkSize: smallStepBytes,
    })
  } catch (error) {
    return isOverCap(error) ? 'too_large' : 'corrupt'
  }
}

/**
 * Inflates twice, and needs no more memory than the result.
 * @param bytes must not change until this settles.
 */
export async function inflateLarge(
  bytes: Uint8Array,
  encoding: ZlibEncoding,
  bytesMax: number,
): Promise<Inflated> {
  let length = 0
  const measured = await eachPart(bytes, encoding, (part) => {
    length += part.length
    return length <= bytesMax
  })
  if (measured === 'corrupt') return 'corrupt'
  if (measured === 'stopped') return 'too_large'
  const whole = Buffer.allocUnsafeSlow(length)
  let at = 0
  const inflated = await eachPart(bytes, encoding, (part) => {
    at += part.copy(whole, at)
    return true
  })
  return inflated === 'whole' && at === length ? whole : 'corrupt'
}

/** Calls back for each part of the output, until the callback returns false. */
function eachPart(
  bytes: Uint8Array,
  encoding: ZlibEncoding,
  take: (part: Buffer) => boolean,
): Promise<'whole' | 'stopped' | 'corrupt'> {
  return new Promise((resolve) => {
    const stream = inflateStream(bytes, encoding)
    stream.on('data', (part: Buffer) => {
      if (take(part)) return
      resolve('stopped')
      stream.destroy()
    })
    stream.on('end', () => resolve('whole'))
    stream.on('error', () => resolve('corrupt'))
    stream.end(bytes)
  })
}

export type ZlibEncoding = Exclude<BodyEncoding, 'identity' | 'zstd'>

function inflateSync(bytes: Uint8Array, encoding: ZlibEncoding, options: zlib.ZlibOptions): Buffer {
  switch (encoding) {
    case 'gzip':
      return zlib.gunzipSync(bytes, options)
    case 'br':
      return zlib.brotliDecompressSync(bytes, options)
    case 'deflate':
      return hasZlibHeader(bytes)
        ? zlib.inflateSync(bytes, options)
        : zlib.inflateRawSync(bytes, options)
  }
}

const gunzip = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.gunzip)
const unbrotli = promisify<Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress)
const inflateZlib = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.inflate)
const inflateRaw = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.inflateRaw)

function inflateAsync(
  bytes: Uint8Array,
  encoding: ZlibEncoding,
  options: zlib.ZlibOptions,
): Promise<Buffer> {
  switch (encoding) {
    case 'gzip':
      return gunzip(bytes, options)
    case 'br':
      return unbrotli(bytes, options)
    case 'deflate':
      return hasZlibHeader(bytes) ? inflateZlib(bytes, options) : inflateRaw(bytes, options)
  }
}

function inflateStream(bytes: Uint8Array, encoding: ZlibEncoding): Transform {
  const options = { chunkSize: largeStepBytes }
  switch (encoding) {
    case 'gzip':
      return zlib.createGunzip(options)
    case 'br':
      return zlib.createBrotliDecompress(options)
    case 'deflate':
      return hasZlibHeader(bytes) ? zlib.createInflate(options) : zlib.createInflateRaw(options)
  }
}

/** `deflate` means RFC 1950 (zlib) by the standard, but some clients send raw RFC 1951. */
export function hasZlibHeader(bytes: Uint8Array): boolean {
  const first = bytes[0] ?? 0
  return (first & 0x0f) === 8 && ((first << 8) | (bytes[1] ?? 0)) % 31 === 0
}

function isOverCap(error: unknown): boolean {
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
}
