import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SharedMemoryPool } from './shared-memory-pool.ts'

const mebibyte = 2 ** 20

test.each([
  [1, 4],
  [4 * 1024, 4],
  [4 * 1024 + 1, 8],
  [32 * 1024, 32],
  [32 * 1024 + 1, 36],
  [66_000, 72],
  [100_000, 104],
  [4 * mebibyte, 4 * 1024],
  [4 * mebibyte + 100, 4.5 * 1024],
])('%i bytes lie in a buffer of %i KiB', (byteLength, kib) => {
  const bytes = new SharedMemoryPool().take(byteLength)
  expect([bytes.length, bytes.buffer.byteLength]).toEqual([byteLength, kib * 1024])
})

test('memory that was given back serves the next message of its size', () => {
  const pool = new SharedMemoryPool()
  const first = pool.take(100_000)
  const other = pool.take(100_000)
  expect(other.buffer).not.toBe(first.buffer)
  pool.giveBack(first.subarray(10, 20))
  expect(pool.freeBytes).toBe(104 * 1024)
  const next = pool.take(99_000)
  expect([next.buffer === first.buffer, next.length]).toEqual([true, 99_000])
  expect(pool.freeBytes).toBe(0)
})

test('a message may be half as large as the memory that it gets', () => {
  const pool = new SharedMemoryPool()
  const [large, small] = [pool.take(200_000), pool.take(100_000)]
  pool.giveBack(large)
  expect(pool.take(60_000).buffer).not.toBe(large.buffer)
  pool.giveBack(small)
  expect(pool.take(100_000).buffer).toBe(small.buffer)
  expect(pool.take(104 * 1024).buffer).toBe(large.buffer)
})

test('memory that is given back twice is handed out once', () => {
  const pool = new SharedMemoryPool()
  const bytes = pool.take(40_000)
  for (let turn = 0; turn < 3; turn += 1) pool.giveBack(bytes)
  expect(pool.take(40_000).buffer).toBe(bytes.buffer)
  expect(pool.take(40_000).buffer).not.toBe(bytes.buffer)
})

test('memory of others is left alone', () => {
  const pool = new SharedMemoryPool()
  pool.giveBack(new Uint8Array(50_000))
  pool.giveBack(Buffer.from('small'))
  pool.giveBack(new Uint8Array(new SharedArrayBuffer(64 * 1024)))
  pool.giveBack(new SharedMemoryPool().take(50_000))
  expect(pool.freeBytes).toBe(0)
})

test('beyond the limit, memory is not shared, and what is given back serves again', () => {
  const pool = new SharedMemoryPool(8 * mebibyte)
  const taken = Array.from({ length: 10 }, () => pool.take(mebibyte))
  const isShared = ({ buffer }: Buffer) => buffer instanceof SharedArrayBuffer
  expect(taken.map(isShared)).toEqual([...Array(8).fill(true), false, false])
  for (const bytes of taken) pool.giveBack(bytes)
  expect([pool.bytes, pool.freeBytes]).toEqual([8 * mebibyte, 8 * mebibyte])
  const again = Array.from({ length: 10 }, () => pool.take(mebibyte))
  expect(again.filter(isShared)).toHaveLength(8)
  expect(pool.bytes).toBe(8 * mebibyte)
})

test('any loads after each other stay within the limit', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.integer({ min: 16_384, max: 2 * mebibyte }), { maxLength: 30 })),
      (loads) => {
        const pool = new SharedMemoryPool(4 * mebibyte)
        for (const sizes of loads) {
          const taken = sizes.map((size) => pool.take(size))
          expect(taken.map(({ length }) => length)).toEqual(sizes)
          const buffers = taken.map(({ buffer }) => buffer)
          expect(new Set(buffers).size).toBe(buffers.length)
          for (const bytes of taken) pool.giveBack(bytes)
          expect(pool.bytes).toBeLessThanOrEqual(4 * mebibyte)
          expect(pool.freeBytes).toBe(pool.bytes)
        }
      },
    ),
  )
})

test('memory that nobody gave back and nobody has makes room for other memory', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const pool = new SharedMemoryPool(2 * mebibyte)
  const kept = pool.take(mebibyte)
  pool.take(mebibyte)
  const bytesAfterCollection = () => {
    collect()
    return pool.bytes
  }
  await expect.poll(bytesAfterCollection).toBe(kept.length)
  expect(pool.take(mebibyte).buffer).toBeInstanceOf(SharedArrayBuffer)
})
