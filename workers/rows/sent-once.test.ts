import { expect, test } from 'vitest'
import { SentOnce } from './sent-once.ts'

const lengthAfter = (attempts: number, releases = 1) => {
  const sent = new SentOnce()
  const rows = new Uint8Array(1_000)
  for (let at = 0; at < attempts; at += 1) sent.note(rows)
  for (let at = 0; at < releases; at += 1) sent.release(rows)
  return rows.length
}

test('only the memory of rows that were sent exactly once is given back', () => {
  expect([0, 1, 2, 3].map((attempts) => lengthAfter(attempts))).toEqual([1_000, 0, 1_000, 1_000])
})

test('rows that are released twice, or have no bytes, do no harm', () => {
  expect(lengthAfter(1, 2)).toBe(0)
  const sent = new SentOnce()
  const empty = new Uint8Array()
  sent.note(empty)
  sent.release(empty)
  expect(empty.length).toBe(0)
})

test('views of one buffer count together', () => {
  const sent = new SentOnce()
  const { buffer } = new Uint8Array(100)
  sent.note(new Uint8Array(buffer, 0, 50))
  sent.note(new Uint8Array(buffer, 50))
  sent.release(new Uint8Array(buffer, 50))
  expect(buffer.byteLength).toBe(100)
})

test('shared memory is left to its owner', () => {
  const sent = new SentOnce()
  const rows = new Uint8Array(new SharedArrayBuffer(100))
  sent.note(rows)
  sent.release(rows)
  expect(rows.length).toBe(100)
})
