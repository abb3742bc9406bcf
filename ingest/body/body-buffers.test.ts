import { expect, test } from 'vitest'
import { KiB } from '#schemas/limits.ts'
import { BodyBuffer } from './body-buffer.ts'
import { BodyBuffers } from './body-buffers.ts'

test('a body grows through the sizes of the pool, and doubles beyond them', () => {
  const body = new BodyBuffer(new BodyBuffers())
  const chunk = Buffer.alloc(16 * KiB, 'a')
  const capacities = Array.from({ length: 17 }, () => {
    body.append(chunk)
    return body.capacity / KiB
  })
  expect([...new Set(capacities)]).toEqual([16, 64, 128, 256, 512])
  expect(body.view().equals(Buffer.alloc(17 * 16 * KiB, 'a'))).toBe(true)
})

test('one chunk that is larger than twice the buffer fits exactly or takes the next size', () => {
  const body = new BodyBuffer(new BodyBuffers())
  body.append(Buffer.alloc(100 * KiB))
  expect(body.capacity).toBe(128 * KiB)
  body.append(Buffer.alloc(900 * KiB))
  expect(body.capacity).toBe(1000 * KiB)
})

test('a buffer of the pool is used again, and a larger one is not kept', () => {
  const buffers = new BodyBuffers()
  for (const bytes of [16 * KiB, 64 * KiB, 128 * KiB, 256 * KiB]) {
    const first = buffers.take(bytes)
    buffers.giveBack(first)
    expect(buffers.take(bytes) === first).toBe(bytes <= 128 * KiB)
  }
})

test('the pool keeps a limited number of buffers', () => {
  const buffers = new BodyBuffers()
  const taken = Array.from({ length: 1000 }, () => buffers.take(100 * KiB))
  for (const buffer of taken) buffers.giveBack(buffer)
  const again = new Set(Array.from({ length: 1000 }, () => buffers.take(100 * KiB)))
  expect(taken.filter((buffer) => again.has(buffer)).length).toBeLessThanOrEqual(32)
})
