import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeSegmentHeader, encodeSegmentHeader, segmentHeaderBytes } from './segment-header.ts'

const owners = fc.record({
  installationId: fc.uuid(),
  instanceId: fc
    .uint8Array({ minLength: 16, maxLength: 16 })
    .map((id) => Buffer.from(id).toString('hex')),
})

test('a header is read back, with any bytes after it', () => {
  fc.assert(
    fc.property(owners, fc.uint8Array(), (owner, rest) => {
      const file = Buffer.concat([encodeSegmentHeader(owner), rest])
      expect(decodeSegmentHeader(file)).toEqual({ owner, bytes: segmentHeaderBytes })
    }),
  )
})

test('a segment of an earlier version begins with its first frame', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (rest) => {
      const file = Buffer.concat([Buffer.from('SLUF'), rest])
      expect(decodeSegmentHeader(file)).toEqual({ owner: undefined, bytes: 0 })
    }),
  )
})

test('a truncated or changed header has no owner, and decoding never throws', () => {
  fc.assert(
    fc.property(
      owners,
      fc.nat({ max: segmentHeaderBytes - 1 }),
      fc.integer({ min: 1, max: 255 }),
      (owner, at, flip) => {
        const header = encodeSegmentHeader(owner)
        expect(decodeSegmentHeader(header.subarray(0, at)).owner).toBeUndefined()
        header[at]! ^= flip
        expect(decodeSegmentHeader(header).owner).toBeUndefined()
      },
    ),
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const start = decodeSegmentHeader(Buffer.from(bytes))
      expect(start.owner === undefined && start.bytes <= bytes.length).toBe(true)
    }),
  )
})
