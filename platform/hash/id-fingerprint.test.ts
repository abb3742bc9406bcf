import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ProjectId } from '#schemas/ids.ts'
import { IdFingerprint } from './id-fingerprint.ts'

const id = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')

function textOf({ a, b, c }: IdFingerprint): string {
  return [a, b, c].map((word) => word.toString(16).padStart(8, '0')).join(' ')
}

test('a fingerprint is HalfSipHash-1-3 of the project and the id', () => {
  // Computed with an independent implementation.
  const fingerprint = new IdFingerprint(Buffer.from([1, 2, 3, 4, 5, 6, 7, 8]))
  fingerprint.ofBytes(12_345_678_901 as ProjectId, id)
  expect(textOf(fingerprint)).toBe('b821ce6d 3263106a b7440f58')
})

test('a fingerprint depends on the key, on the project and on every byte of the id', () => {
  const of = (change: (bytes: Buffer) => void, projectId = 1, key = 4) => {
    const changed = Buffer.from(id)
    change(changed)
    const fingerprint = new IdFingerprint(Buffer.alloc(8, key))
    fingerprint.ofBytes(projectId as ProjectId, changed)
    return textOf(fingerprint)
  }
  const all = [
    of(() => {}),
    of(() => {}, 2),
    of(() => {}, 1 + 2 ** 32),
    of(() => {}, 1, 5),
    ...Array.from(id, (_, at) =>
      of((changed) => {
        changed[at]! ^= 1
      }),
    ),
  ]
  expect(new Set(all).size).toBe(all.length)
  expect(of(() => {})).toBe(all[0])
})

test('bytes within a frame, words of a row and the process key give one fingerprint', () => {
  const left = new IdFingerprint()
  const right = new IdFingerprint()
  const projects = fc.integer({ min: 1, max: 2 ** 48 - 1 })
  fc.assert(
    fc.property(projects, fc.uint8Array({ minLength: 16, maxLength: 16 }), (project, bytes) => {
      const projectId = project as ProjectId
      left.ofBytes(projectId, Buffer.concat([Buffer.alloc(3, 7), bytes, Buffer.alloc(2)]), 3)
      const words = Buffer.from(bytes)
      const [w0, w1, w2, w3] = [0, 4, 8, 12].map((at) => words.readInt32BE(at)) as never[]
      right.ofWords(projectId, w0!, w1!, w2!, w3!)
      expect(textOf(right)).toBe(textOf(left))
      expect(left.a).toBeGreaterThan(0)
    }),
    { seed: 20_261_122, numRuns: 200 },
  )
})
