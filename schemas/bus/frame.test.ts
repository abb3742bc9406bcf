import { describe, expect, test } from 'vitest'
import type { DsnKeyNo, ProjectId } from '../ids.ts'
import { recordsPerFrameMax } from '../limits.ts'
import {
  decodeFrame,
  decodeRecords,
  FrameError,
  frameHeaderBytes,
  frameId,
  visitRecordIds,
} from './frame.ts'
import { FrameWriter, type RecordFields } from './frame-writer.ts'

const buffersOf = (bytes: number) => ({ take: () => Buffer.alloc(bytes) })

const number = { instanceId: '0123456789abcdef0123456789abcdef', partition: 3, counter: 7 }

function record(fields: Partial<RecordFields> = {}): RecordFields {
  return {
    kind: 'event',
    projectId: 42 as ProjectId,
    dsnKeyNo: 9 as DsnKeyNo,
    receivedAtMs: 1_795_215_589_730,
    recordId: Buffer.from('5f0c1d2e3a4b4c5d8e9f001122334455', 'hex'),
    leaseNo: 70_000_000_000,
    headerJson: '{"component":"wörker"}',
    payload: Buffer.from('{"message":"a"}'),
    ...fields,
  }
}

function frameOf(...records: RecordFields[]): Buffer {
  const writer = new FrameWriter(number.partition, buffersOf(64))
  for (const each of records) writer.append(each)
  return writer.finish(number)
}

describe('a frame', () => {
  test('is read back unchanged', () => {
    const frame = decodeFrame(frameOf(record(), record({ kind: 'outcomes', headerJson: '' })))
    expect(frame).toMatchObject({ ...number, recordCount: 2 })
    const [first, second] = decodeRecords(frame)
    expect(first).toMatchObject({
      kind: 'event',
      projectId: 42,
      dsnKeyNo: 9,
      receivedAtMs: 1_795_215_589_730,
      recordId: '5f0c1d2e3a4b4c5d8e9f001122334455',
      leaseNo: 70_000_000_000,
      address: undefined,
      header: { component: 'wörker' },
    })
    expect(Buffer.from(first!.payload).toString()).toBe('{"message":"a"}')
    expect(second).toMatchObject({ kind: 'outcomes', header: {} })
  })

  test.each([0, 1, 0xff, 0x100, 0xffff, 0x1_0000, 0xab_cdef, 0xff_ffff])(
    'contains the mark of its installation: %i',
    (mark) => {
      const writer = new FrameWriter(number.partition, buffersOf(64))
      writer.append(record())
      const bytes = writer.finish(number, mark)
      expect(decodeFrame(bytes)).toMatchObject({
        ...number,
        installationMark: mark,
        recordCount: 1,
      })
      // Earlier versions read only these fields.
      expect([bytes.readUIntLE(24, 6), bytes.readUInt32LE(32)]).toEqual([number.counter, 1])
    },
  )

  test('returns the identities of its records without decoding them', () => {
    const seen: unknown[] = []
    const frame = decodeFrame(frameOf(record(), record({ kind: 'session', leaseNo: 0 })))
    visitRecordIds(frame, ({ kind, projectId, receivedAtMs, bytes, idStart }) => {
      seen.push([kind, projectId, receivedAtMs, bytes.toString('hex', idStart, idStart + 16)])
    })
    const same = [42, 1_795_215_589_730, '5f0c1d2e3a4b4c5d8e9f001122334455']
    expect(seen).toEqual([
      ['event', ...same],
      ['session', ...same],
    ])
  })

  test('contains item type and envelope id of a record whose kind does not determine them', () => {
    const header = { item: 'user_report', envelope_id: '5f0c1d2e3a4b4c5d8e9f001122334455' }
    const report = record({ kind: 'feedback', headerJson: JSON.stringify(header) })
    expect(decodeRecords(decodeFrame(frameOf(report)))[0]).toMatchObject({ header })
  })

  test('has the same bytes with and without a partition key, which only chooses the frame', () => {
    const keyed = record({ partitionKey: Buffer.alloc(16, 0xab) })
    expect(frameOf(keyed).equals(frameOf(record()))).toBe(true)
  })

  test('accepts a payload that is a range of a larger buffer', () => {
    const payload = Buffer.from('before{"a":1}after')
    for (const bytes of [payload, new Uint8Array(payload)]) {
      const frame = frameOf(record({ payload: bytes, payloadStart: 6, payloadEnd: 13 }))
      const [only] = decodeRecords(decodeFrame(frame))
      expect(Buffer.from(only!.payload).toString()).toBe('{"a":1}')
    }
  })

  test('does not share its bytes with the writer', () => {
    const writer = new FrameWriter(number.partition, buffersOf(1024))
    writer.append(record())
    const first = writer.finish(number)
    writer.append(record({ payload: Buffer.alloc(15, 0x20) }))
    writer.finish({ ...number, counter: 8 })
    expect(decodeRecords(decodeFrame(first))).toHaveLength(1)
  })

  test('refuses more records than it may hold', () => {
    const writer = new FrameWriter(0, buffersOf(1024))
    const small = record({ payload: Buffer.alloc(0), headerJson: '' })
    for (let count = 0; count < recordsPerFrameMax; count += 1) writer.append(small)
    expect(() => writer.append(small)).toThrow()
  })

  test('is named by instance id, partition and counter', () => {
    expect(frameId(number)).toBe('0123456789abcdef0123456789abcdef.3.7')
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['no address             ', undefined,                                   undefined],
  ['IPv4                   ', Buffer.from([192, 0, 2, 7]),                 '192.0.2.7'],
  ['IPv4 inside IPv6       ', Buffer.from('00000000000000000000ffffc0000207', 'hex'), '192.0.2.7'],
  ['IPv6, longest run wins ', Buffer.from('20010db8000000000001000000000001', 'hex'), '2001:db8::1:0:0:1'],
  ['IPv6 loopback          ', Buffer.from('00000000000000000000000000000001', 'hex'), '::1'],
  ['a length of neither    ', Buffer.from([1, 2, 3]),                      undefined],
] as const)('an address is returned as text: %s', (_name, address, text) => {
  const [only] = decodeRecords(decodeFrame(frameOf(record({ address }))))
  expect(only!.address).toBe(text)
})

// biome-ignore format: the columns are the point
test.each([
  ['nothing              ', Buffer.alloc(0)],
  ['a cut header         ', frameOf(record()).subarray(0, frameHeaderBytes - 1)],
  ['a cut body           ', frameOf(record()).subarray(0, -1)],
  ['a byte too many      ', Buffer.concat([frameOf(record()), Buffer.alloc(1)])],
  ['another magic        ', Buffer.concat([Buffer.from('NOPE'), frameOf(record()).subarray(4)])],
])('%s is a FrameError', (_name, bytes) => {
  expect(() => decodeFrame(bytes)).toThrow(FrameError)
})

// Frames of one version are in write-ahead logs and on the broker while other versions run, so
// these bytes must not change.
const frameAsItWas = [
  '534c5546020003000123456789abcdef0123456789abcdef070000000000000002000000cc0000004ad69043',
  '66000000010017002a000000000009000000620130fba1015f0c1d2e3a4b4c5d8e9f00112233445500000000',
  '000000000000000000000000003c534c100000007b22636f6d706f6e656e74223a2277c3b6726b6572227d7b',
  '226d657373616765223a2261227d',
  '66000000020417002a000000000009000000620130fba1015f0c1d2e3a4b4c5d8e9f00112233445509090909',
  '000000000000000000000000003c534c100000007b22636f6d706f6e656e74223a2277c3b6726b6572227d7b',
  '226d657373616765223a2261227d',
].join('')

test('the bytes of a frame have not changed', () => {
  const session = record({ kind: 'session', address: Buffer.alloc(4, 9) })
  expect(frameOf(record(), session).toString('hex')).toBe(frameAsItWas)
})

test('a well-filled buffer is passed on with its frame and not reused for the next one', () => {
  const writer = new FrameWriter(0, buffersOf(256))
  const fields = {
    kind: 'event',
    projectId: 1 as ProjectId,
    dsnKeyNo: 1 as DsnKeyNo,
    receivedAtMs: 1,
    recordId: Buffer.alloc(16),
    headerJson: '',
  } as const
  const number = { instanceId: 'ab'.repeat(16), partition: 0 }
  writer.append({ ...fields, payload: Buffer.alloc(100, 'a') })
  const first = writer.finish({ ...number, counter: 1 })
  const before = Buffer.from(first)
  writer.append({ ...fields, payload: Buffer.alloc(100, 'b') })
  writer.finish({ ...number, counter: 2 })
  expect(first.equals(before)).toBe(true)
  expect(first.buffer.byteLength).toBe(256)
})
