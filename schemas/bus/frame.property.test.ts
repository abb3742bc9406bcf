import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DsnKeyNo, ProjectId } from '../ids.ts'
import { decodeFrame, decodeRecords, FrameError, recordKinds } from './frame.ts'
import { FrameWriter } from './frame-writer.ts'

const buffersOf = (bytes: number) => ({ take: () => Buffer.alloc(bytes) })

const seed = 20_261_121

const records = fc.array(
  fc.record({
    kind: fc.constantFrom(...recordKinds),
    projectId: fc.nat({ max: 2 ** 48 - 1 }).map((id) => id as ProjectId),
    dsnKeyNo: fc.nat({ max: 2 ** 32 - 1 }).map((no) => no as DsnKeyNo),
    receivedAtMs: fc.nat({ max: 2 ** 48 - 1 }),
    recordId: fc.uint8Array({ minLength: 16, maxLength: 16 }),
    header: fc.record({ component: fc.string({ maxLength: 40 }) }),
    payload: fc.uint8Array({ maxLength: 300 }),
  }),
  { minLength: 1, maxLength: 20 },
)

function frameOf(list: typeof records extends fc.Arbitrary<infer List> ? List : never): Buffer {
  const writer = new FrameWriter(1, buffersOf(64))
  for (const { header, ...fields } of list) {
    writer.append({ ...fields, headerJson: JSON.stringify(header) })
  }
  return writer.finish({ instanceId: 'ab'.repeat(16), partition: 1, counter: 1 })
}

test('any records are read back unchanged', () => {
  fc.assert(
    fc.property(records, (list) => {
      const views = decodeRecords(decodeFrame(frameOf(list)))
      expect(views.length).toBe(list.length)
      views.forEach((view, index) => {
        const put = list[index]!
        expect(view.kind).toBe(put.kind)
        expect(view.projectId).toBe(put.projectId)
        expect(view.dsnKeyNo).toBe(put.dsnKeyNo)
        expect(view.receivedAtMs).toBe(put.receivedAtMs)
        expect(view.recordId).toBe(Buffer.from(put.recordId).toString('hex'))
        expect(view.header).toEqual(JSON.parse(JSON.stringify(put.header)))
        expect(Buffer.from(view.payload).equals(put.payload)).toBe(true)
      })
    }),
    { seed },
  )
})

test('a flipped bit at any position is detected', () => {
  fc.assert(
    fc.property(records, fc.nat(), fc.nat({ max: 7 }), (list, position, bit) => {
      const frame = frameOf(list)
      frame[position % frame.length]! ^= 1 << bit
      expect(() => decodeFrame(frame)).toThrow(FrameError)
    }),
    { seed },
  )
})

test('decoding any bytes throws only FrameError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat({ max: 400 }), (bytes, recordCount) => {
      expectFrameErrorAtMost(() => decodeFrame(bytes))
      // A frame with a valid CRC and arbitrary records, as a defective writer could produce it.
      const frame = {
        instanceId: '',
        partition: 0,
        counter: 0,
        installationMark: 0,
        recordCount,
        body: bytes,
      }
      expectFrameErrorAtMost(() => decodeRecords(frame))
    }),
    { seed },
  )
})

test('a frame cut at any byte is a FrameError', () => {
  const frame = frameOf(fc.sample(records, { seed, numRuns: 1 })[0]!)
  for (let length = 0; length < frame.length; length += 1) {
    expect(() => decodeFrame(frame.subarray(0, length))).toThrow(FrameError)
  }
})

function expectFrameErrorAtMost(decode: () => unknown): void {
  try {
    decode()
  } catch (error) {
    expect(error).toBeInstanceOf(FrameError)
  }
}
