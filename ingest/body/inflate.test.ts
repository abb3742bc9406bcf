import zlib from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { KiB, MiB } from '#schemas/limits.ts'
import {
  inflateLarge,
  inflateNow,
  inflateNowBytesMax,
  inflateSmall,
  type ZlibEncoding,
} from './inflate.ts'

const text = Buffer.from(Array.from({ length: 100_000 }, (_, line) => `line ${line}\n`).join(''))

const encoders = [
  ['gzip', 'gzip', zlib.gzipSync],
  ['deflate of RFC 1950', 'deflate', zlib.deflateSync],
  ['raw deflate', 'deflate', zlib.deflateRawSync],
  ['br', 'br', zlib.brotliCompressSync],
] as const satisfies readonly (readonly [string, ZlibEncoding, (bytes: Buffer) => Buffer])[]

describe.each([
  ['in one pass', inflateSmall],
  ['in two passes', inflateLarge],
] as const)('inflating %s', (_name, inflate) => {
  test.each(encoders)('%s is inflated to the original', async (_encoding, encoding, encode) => {
    const inflated = await inflate(encode(text), encoding, text.length)
    // Compared as bytes, because comparing a megabyte of values takes seconds.
    expect(Buffer.isBuffer(inflated) && inflated.equals(text)).toBe(true)
  })

  test.each(encoders)(
    '%s that exceeds its cap by a byte is too large',
    async (_name, encoding, encode) => {
      expect(await inflate(encode(text), encoding, text.length - 1)).toBe('too_large')
    },
  )

  test.each(encoders)('%s that is cut short is corrupt', async (_encoding, encoding, encode) => {
    const bytes = encode(text)
    expect(await inflate(bytes.subarray(0, -3), encoding, text.length)).toBe('corrupt')
    expect(await inflate(bytes.subarray(0, 5), encoding, text.length)).toBe('corrupt')
    expect(await inflate(bytes.subarray(0, 0), encoding, text.length)).toBe('corrupt')
  })

  test('several gzip members are one body', async () => {
    const members = Buffer.concat([zlib.gzipSync('a'), zlib.gzipSync('b')])
    expect(String(await inflate(members, 'gzip', 2))).toBe('ab')
    expect(await inflate(members, 'gzip', 1)).toBe('too_large')
  })
})

test('the memory of a large result is no larger than the result', async () => {
  const whole = await inflateLarge(zlib.gzipSync(text), 'gzip', 50 * MiB)
  expect(Buffer.isBuffer(whole) && whole.buffer.byteLength).toBe(text.length)
})

test('a decompression bomb of any size is too large', async () => {
  const bomb = zlib.gzipSync(Buffer.alloc(20 * MiB))
  expect(bomb.length).toBeLessThan(64 * KiB)
  expect(await inflateLarge(bomb, 'gzip', 10 * MiB)).toBe('too_large')
})

describe('inflating at once', () => {
  const body = text.subarray(0, 50 * KiB)

  test.each(encoders)('%s is inflated to the original', (_name, encoding, encode) => {
    const inflated = inflateNow(encode(body), encoding, MiB)
    expect(Buffer.isBuffer(inflated) && inflated.equals(body)).toBe(true)
  })

  test.each(encoders)('%s that is cut short is not inflated', (_name, encoding, encode) => {
    const bytes = encode(body)
    for (const end of [-1, -3, 5, 3, 0]) {
      // Undefined when the bytes that are now the last ones state a large length.
      expect(['corrupt', undefined]).toContain(inflateNow(bytes.subarray(0, end), encoding, MiB))
    }
  })

  test('several gzip members are one body, and the last one may be small', () => {
    const members = Buffer.concat([zlib.gzipSync(body), zlib.gzipSync('b')])
    expect(String(inflateNow(members, 'gzip', MiB))).toBe(`${body}b`)
  })

  test.each([
    ['0', 0],
    ['one too many', body.length + 1],
    ['one too few', body.length - 1],
  ])('a gzip body that states a wrong length is corrupt: %s', (_name, length) => {
    const bytes = zlib.gzipSync(body)
    bytes.writeUInt32LE(length, bytes.length - 4)
    expect(inflateNow(bytes, 'gzip', MiB)).toBe('corrupt')
  })

  test('a body that is or claims to be too large for this thread is left to the pool', () => {
    const large = zlib.gzipSync(Buffer.alloc(128 * KiB + 1))
    expect(inflateNow(large, 'gzip', MiB)).toBe(undefined)
    const lies = zlib.gzipSync(Buffer.alloc(MiB))
    lies.writeUInt32LE(1, lies.length - 4)
    expect(inflateNow(lies, 'gzip', 2 * MiB)).toBe(undefined)
    const claims = zlib.gzipSync(body)
    claims.writeUInt32LE(0xffff_ffff, claims.length - 4)
    expect(inflateNow(claims, 'gzip', MiB)).toBe(undefined)
    expect(inflateNow(Buffer.alloc(inflateNowBytesMax + 1), 'gzip', MiB)).toBe(undefined)
  })

  test('the memory of a gzip result is a byte larger than the result', () => {
    const inflated = inflateNow(zlib.gzipSync(body), 'gzip', MiB)
    expect(Buffer.isBuffer(inflated) && inflated.buffer.byteLength).toBe(body.length + 1)
  })
})
