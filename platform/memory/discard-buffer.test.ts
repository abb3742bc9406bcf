import { expect, test, vi } from 'vitest'
import { discardBuffer } from './discard-buffer.ts'

test('the memory of a buffer is given back without a collection', () => {
  const mebibyte = 1024 * 1024
  const buffer = new ArrayBuffer(64 * mebibyte)
  const before = process.memoryUsage().arrayBuffers
  discardBuffer(buffer)
  expect(buffer.byteLength).toBe(0)
  expect(before - process.memoryUsage().arrayBuffers).toBeGreaterThan(60 * mebibyte)
})

test('a buffer that is empty or discarded already is left alone', () => {
  const buffer = new ArrayBuffer(8)
  for (const again of [new ArrayBuffer(0), buffer, buffer]) discardBuffer(again)
  expect(buffer.byteLength).toBe(0)
})

test('the first buffers of a thread that never looks for events are given back, too', async () => {
  vi.resetModules()
  const fresh = await import('./discard-buffer.ts')
  const mebibyte = 1024 * 1024
  const before = process.memoryUsage().arrayBuffers
  for (let count = 0; count < 8; count += 1) fresh.discardBuffer(new ArrayBuffer(64 * mebibyte))
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(60 * mebibyte)
})
