import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SharedMemoryPool } from './shared-memory-pool.ts'

const mebibyte = 2 ** 20
const isShared = ({ buffer }: Buffer) => buffer instanceof SharedArrayBuffer

test('messages lie one after another in shared memory', () => {
  const pool = new SharedMemoryPool()
  const [first, second] = [pool.take(100_000), pool.take(30)]
  expect([first.length, second.length]).toEqual([100_000, 30])
  expect(second.buffer).toBe(first.buffer)
  expect(second.byteOffset).toBe(100_000)
  expect([isShared(first), pool.usedBytes]).toEqual([true, 100_030])
})

test('memory serves again when all that shares it was given back', () => {
  const pool = new SharedMemoryPool({ bytesMax: 2_000, slabBytes: 1_000 })
  const [one, two, three] = [pool.take(600), pool.take(400), pool.take(700)]
  pool.giveBack(one.subarray(10, 20))
  pool.giveBack(three)
  expect(pool.take(900).buffer).toBe(three.buffer)
  expect(isShared(pool.take(300))).toBe(false)
  pool.giveBack(two)
  const next = pool.take(300)
  expect([next.buffer === one.buffer, next.byteOffset]).toEqual([true, 0])
})

test('a limit is rounded down to whole slabs', () => {
  const pool = new SharedMemoryPool({ bytesMax: 1_999, slabBytes: 1_000 })
  expect([pool.take(900), pool.take(900)].map(isShared)).toEqual([true, false])
})

test('what does not fit in the rest of a slab leaves that for smaller messages', () => {
  const pool = new SharedMemoryPool({ bytesMax: 1_000, slabBytes: 1_000 })
  pool.take(600)
  expect(isShared(pool.take(500))).toBe(false)
  expect(isShared(pool.take(400))).toBe(true)
})

test('a message that is larger than a slab gets ordinary memory', () => {
  const pool = new SharedMemoryPool({ slabBytes: 1_000 })
  const [small, large] = [pool.take(10), pool.take(1_001)]
  expect([large.length, isShared(large)]).toEqual([1_001, false])
  expect(pool.take(10).buffer).toBe(small.buffer)
})

test('memory that is given back twice is handed out once', () => {
  const pool = new SharedMemoryPool({ bytesMax: 3_000, slabBytes: 1_000 })
  const [bytes] = [pool.take(900), pool.take(900)]
  for (let turn = 0; turn < 3; turn += 1) pool.giveBack(bytes)
  const taken = [pool.take(900), pool.take(900), pool.take(900)]
  expect(taken.map(isShared)).toEqual([true, true, false])
  expect(taken[0]!.buffer).not.toBe(taken[1]!.buffer)
})

test('memory of others is left alone', () => {
  const pool = new SharedMemoryPool()
  pool.take(10)
  pool.giveBack(new Uint8Array(50_000))
  pool.giveBack(Buffer.from('small'))
  pool.giveBack(new Uint8Array(new SharedArrayBuffer(64 * 1024)))
  pool.giveBack(new SharedMemoryPool().take(50_000))
  expect(pool.usedBytes).toBe(10)
})

test('loads of any sizes stay within the limit, and no two messages share a byte', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 600_000 }), { maxLength: 30 })
  // `kept` messages outlive the load.
  const load = fc.record({ sizes, kept: fc.integer({ min: 0, max: 3 }) })
  fc.assert(
    fc.property(fc.array(load, { maxLength: 10 }), (loads) => {
      const pool = new SharedMemoryPool({ bytesMax: 4 * mebibyte, slabBytes: mebibyte })
      let held: { bytes: Buffer; mark: number }[] = []
      let mark = 0
      for (const { sizes, kept } of loads) {
        for (const size of sizes) {
          const bytes = pool.take(size)
          expect(bytes.length).toBe(size)
          mark = (mark + 1) % 256
          held.push({ bytes: bytes.fill(mark), mark })
        }
        for (const one of held) {
          expect([one.bytes[0], one.bytes.at(-1)]).toEqual([one.mark, one.mark])
        }
        expect(pool.bytes).toBeLessThanOrEqual(4 * mebibyte)
        for (const { bytes } of held.slice(kept)) pool.giveBack(bytes)
        held = held.slice(0, kept)
      }
      for (const { bytes } of held) pool.giveBack(bytes)
      expect(pool.usedBytes).toBe(0)
      // Sizes of an earlier load use up nothing.
      const whole = Array.from({ length: 4 }, () => pool.take(mebibyte))
      expect(whole.every(isShared)).toBe(true)
    }),
    { numRuns: 50 },
  )
})

test('memory that nobody gave back and nobody has makes room for other memory', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const pool = new SharedMemoryPool({ bytesMax: 3_000, slabBytes: 1_000 })
  const kept = pool.take(1_000)
  pool.take(1_000)
  const last = pool.take(1_000)
  expect(isShared(pool.take(1_000))).toBe(false)
  const bytesAfterCollection = () => {
    collect()
    return pool.bytes
  }
  await expect.poll(bytesAfterCollection).toBe(2_000)
  expect(pool.usedBytes).toBe(kept.length + last.length)
  expect(isShared(pool.take(1_000))).toBe(true)
})
