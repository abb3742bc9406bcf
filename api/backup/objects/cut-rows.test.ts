import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CutObject, RowCutter } from './cut-rows.ts'

const options = { bytesMin: 200, bytesBetween: 300, bytesMax: 2_000 }

const anyRow = fc.uint8Array({ maxLength: 80 }).map((bytes) => {
  // A value never holds a newline: COPY escapes it.
  return Buffer.concat([Buffer.from(bytes.map((byte) => (byte === 10 ? 11 : byte))), Buffer.of(10)])
})
const anyRows = fc.array(anyRow, { maxLength: 200 })

function cut(rows: readonly Buffer[], chunkBytes: number): CutObject[] {
  const all = Buffer.concat(rows)
  const cutter = new RowCutter(options)
  const objects: CutObject[] = []
  for (let at = 0; at < all.length; at += chunkBytes) {
    // Overwritten after use, as a driver may do it.
    const chunk = Buffer.from(all.subarray(at, at + chunkBytes))
    objects.push(...cutter.add(chunk))
    objects.splice(0, objects.length, ...objects.map((one) => ({ ...one })))
    chunk.fill(0)
  }
  objects.push(...cutter.end())
  return objects
}

test('the objects are the rows in order, whole and counted, within their bounds', () => {
  fc.assert(
    fc.property(anyRows, fc.integer({ min: 1, max: 500 }), (rows, chunkBytes) => {
      const objects = cut(rows, chunkBytes)
      expect(Buffer.concat(objects.map(({ bytes }) => bytes))).toEqual(Buffer.concat(rows))
      expect(objects.reduce((sum, one) => sum + one.rows, 0)).toBe(rows.length)
      for (const { bytes, rows: count } of objects) {
        expect(bytes.at(-1)).toBe(10)
        expect(bytes.filter((byte) => byte === 10)).toHaveLength(count)
        expect(bytes.length).toBeLessThanOrEqual(options.bytesMax + 81)
      }
      for (const { bytes } of objects.slice(0, -1)) {
        expect(bytes.length).toBeGreaterThanOrEqual(options.bytesMin)
      }
    }),
  )
})

test('the same rows give the same objects, however they arrive', () => {
  fc.assert(
    fc.property(anyRows, fc.integer({ min: 1, max: 500 }), (rows, chunkBytes) => {
      expect(cut(rows, chunkBytes)).toEqual(cut(rows, 100_000))
    }),
  )
})

test('a changed row leaves most objects as they were', () => {
  const rows = Array.from({ length: 2_000 }, (_, at) => Buffer.from(`${at} row ${at * 7_919}\n`))
  const before = new Set(cut(rows, 1_000).map(({ bytes }) => bytes.toString()))
  for (const at of [0, 777, 1_999]) {
    const changed = rows.with(at, Buffer.from('changed\n'))
    const fresh = cut(changed, 1_000).filter(({ bytes }) => !before.has(bytes.toString()))
    expect(fresh.length).toBeLessThanOrEqual(4)
  }
  expect(before.size).toBeGreaterThan(40)
})

test('a stream that ends within a row is an error', () => {
  const cutter = new RowCutter(options)
  expect([...cutter.add(Buffer.from('one\ntw'))]).toEqual([])
  expect(() => [...cutter.end()]).toThrow('within a row')
})
