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
  expect(pool.take(90_000).buffer).not.toBe(first.buffer)
  const next = pool.take(99_000)
  expect([next.buffer === first.buffer, next.length]).toEqual([true, 99_000])
  expect(pool.freeBytes).toBe(0)
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

test('at most 64 MB wait for their next use', () => {
  const pool = new SharedMemoryPool()
  const taken = Array.from({ length: 12 }, () => pool.take(8 * mebibyte))
  for (const bytes of taken) pool.giveBack(bytes)
  expect(pool.freeBytes).toBe(64 * mebibyte)
})

test('what waits beyond that is of the size that was used longest ago', () => {
  const pool = new SharedMemoryPool()
  const small = Array.from({ length: 1_024 }, () => pool.take(64 * 1024))
  const large = Array.from({ length: 4 }, () => pool.take(8 * mebibyte))
  for (const bytes of [...small, ...large]) pool.giveBack(bytes)
  expect(pool.freeBytes).toBe(64 * mebibyte)
  const isReused = (taken: Buffer[], size: number) =>
    taken.map(() => pool.take(size)).filter(({ buffer }) => taken.some((t) => t.buffer === buffer))
  expect(isReused(large, 8 * mebibyte)).toHaveLength(4)
  expect(isReused(small, 64 * 1024)).toHaveLength(512)
})
