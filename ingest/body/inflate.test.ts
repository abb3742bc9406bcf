import zlib from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { KiB, MiB } from '#schemas/limits.ts'
import { inflateLarge, inflateSmall, type ZlibEncoding } from './inflate.ts'

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
