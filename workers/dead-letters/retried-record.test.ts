/**
 * Records of dead letters that are retried: their former outcome is reversed in the range that
 * counts the new one.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RecordHeader, RecordKind } from '#schemas/bus/frame.ts'
import { FrameWriter } from '#schemas/bus/frame-writer.ts'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { readOutcomeRows } from '../../test/simulation/parts/row-binary-reader.ts'
import { negateOutcomes } from '../commit/negate-outcomes.ts'
import { digestRange } from '../digest/digest-range.ts'
import type { RangeInput } from '../digest/range.ts'
import { recordOrdinal } from '../digest/record-ordinal.ts'
import { RowBinaryWriter } from '../rows/row-binary.ts'

const receivedAtMs = Date.UTC(2026, 10, 20, 12, 30)
const instanceId = `${'0'.repeat(31)}1`
const projectId = 1 as ProjectId
const retry = { dead_letter: 41, reason: 'undigestible' } as const

interface TestRecord {
  readonly kind?: RecordKind
  readonly id?: number
  readonly payload?: string
  readonly header?: RecordHeader
  readonly dsnKeyNo?: number
}

function digest(records: readonly TestRecord[], settings: Partial<RangeInput> = {}) {
  const writer = new FrameWriter(0, { take: () => Buffer.alloc(1024) })
  for (const { kind = 'event', id = 1, payload = event, header = {}, dsnKeyNo = 7 } of records) {
    const recordId = Buffer.alloc(16)
    recordId.writeUInt32BE(id, 12)
    writer.append({
      kind,
      projectId,
      dsnKeyNo: dsnKeyNo as DsnKeyNo,
      receivedAtMs,
      recordId,
      address: Buffer.from([192, 0, 2, 7]),
      headerJson: JSON.stringify(header),
      payload: Buffer.from(payload),
    })
  }
  const bytes = writer.finish({ instanceId, partition: 0, counter: 0 })
  const frames = [{ streamSeq: 1, bytes }]
  return digestRange({ partition: 0, generation: 1, retentionDays: 90, ...settings, frames })
}

const event = JSON.stringify({ exception: { values: [{ type: 'Boom', value: 'no' }] } })
const session = JSON.stringify({
  sid: 'c0ffee'.padEnd(32, '0'),
  started: '2026-11-20T12:00:00Z',
  attrs: { release: 'a@1' },
})

/** `category outcome reason` → sum. */
function sums(...rows: readonly Uint8Array[]): Record<string, number> {
  const found: Record<string, number> = {}
  for (const { category, outcome, reason, quantity } of rows.flatMap(readOutcomeRows)) {
    const name = `${category} ${outcome} ${reason}`.trim()
    found[name] = (found[name] ?? 0) + quantity
  }
  return Object.fromEntries(Object.entries(found).filter(([, quantity]) => quantity !== 0))
}

const first = recordOrdinal(0, 0)
const failed = { setAside: [first], setAsideDetail: 'a store refused it' }

describe('A record that becomes a dead letter', () => {
  test('keeps the data for a retry, with cleaned text', () => {
    const header = { component: 'work\u0000er', client: 'c\ud800', sent_at: 'x', item: 'event' }
    const { deadLetters } = digest([{ header: { ...header, retry } }], failed)
    expect(deadLetters).toEqual([
      {
        streamSeq: 1,
        recordIndex: 0,
        projectId,
        reason: 'undigestible',
        detail: 'a store refused it',
        bytes: Buffer.from(event),
        record: {
          kind: 'event',
          dsnKeyNo: 7,
          receivedAtMs,
          recordId: '1'.padStart(8, '0').padStart(32, '0'),
          address: '192.0.2.7',
          header: JSON.stringify({ ...header, component: 'worker', client: 'c\ufffd' }),
        },
      },
    ])
  })

  test('keeps no address where the project stores none', () => {
    const projectSettings = [[projectId, { scrubbing: { ip_addresses: true } }]] as const
    const { deadLetters } = digest([{}], { ...failed, projectSettings })
    expect(deadLetters[0]?.record?.address).toBeUndefined()
  })
})

describe('A retried record', () => {
  // biome-ignore format: the columns are the point
  test.each<[string, TestRecord, Partial<RangeInput>, Record<string, number>]>([
    ['is accepted',          {},                                         {},                                  { 'error rejected undigestible': -1, 'error accepted': 1 }],
    ['was resent meanwhile', {},                                         { duplicates: new Uint32Array([first]) }, { 'error rejected undigestible': -1, 'error duplicate': 1 }],
    ['is no JSON',           { payload: '{"message":' },                 {},                                  { 'error rejected undigestible': -1, 'error rejected invalid_json': 1 }],
    ['is a transaction',     { payload: '{"type":"transaction"}' },      {},                                  { 'error rejected undigestible': -1, 'transaction unsupported unsupported:transaction': 1 }],
    ['fails again',          {},                                         failed,                              {}],
    ['is a session',         { kind: 'session', payload: session },      {},                                  { 'session rejected undigestible': -1, 'session accepted': 1 }],
    ['is broken feedback',   { kind: 'feedback', payload: '{' },         {},                                  { 'feedback rejected undigestible': -1, 'feedback rejected invalid_json': 1 }],
    ['is counts of ingest',  { kind: 'outcomes', payload: '[{"outcome":"unsupported","reason":"r","category":"span","quantity":3}]' }, {}, { 'span unsupported r': 3 }],
    ['is counts that fail',  { kind: 'outcomes', payload: '[' },         {},                                  {}],
  ])('that %s has one outcome, and its former one is reversed', (_name, record, settings, expected) => {
    const output = digest([{ ...record, header: { retry } }], settings)
    expect(sums(output.outcomeRows)).toEqual(expected)
    expect(output.outcomeCount).toBe(Object.keys(expected).length)
    expect(output.retriedDeadLetterIds).toEqual([41])
    // An undo of the range restores the former sums.
    expect(sums(output.outcomeRows, negateOutcomes(output.outcomeRows))).toEqual({})
  })

  test('uses quota only when it is accepted, and not for events that Sluice itself creates', () => {
    const [lease] = digest([{ header: { retry } }]).leases
    expect(lease).toMatchObject({ leaseNo: 0, projectId, records: 1, accepted: 1 })
    expect(digest([{ header: { retry } }], failed).leases).toMatchObject([{ accepted: 0 }])
    expect(digest([{ header: { retry }, dsnKeyNo: 0 }]).leases).toEqual([])
  })

  test('has the same outcomes as a record that succeeded at first, with any other records', () => {
    const records = fc.array(
      fc.record({
        kind: fc.constantFrom<RecordKind>('event', 'session', 'check_in', 'client_report'),
        id: fc.integer({ min: 1, max: 5 }),
        payload: fc.constantFrom(event, session, '{', '{}', '{"type":"transaction"}'),
        header: fc.constantFrom<RecordHeader>({}, { component: 'worker' }),
      }),
      { minLength: 1, maxLength: 8 },
    )
    fc.assert(
      fc.property(records, (list) => {
        const all = list.map((_, index) => recordOrdinal(0, index))
        const before = digest(list, { setAside: all })
        expect(before.deadLetters).toHaveLength(list.length)
        const again = list.map((record, index) => ({
          ...record,
          header: { ...record.header, retry: { dead_letter: index + 1, reason: retry.reason } },
        }))
        const after = digest(again)
        const atOnce = digest(list)
        expect(sums(before.outcomeRows, after.outcomeRows)).toEqual(sums(atOnce.outcomeRows))
        expect(after.eventRows).toEqual(atOnce.eventRows)
        expect(after.retriedDeadLetterIds).toEqual(list.map((_, index) => index + 1))
      }),
    )
  })
})

test('a signed number has the bytes of the unsigned one and is read back', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      const writer = new RowBinaryWriter(1)
      writer.int64(value)
      const bytes = Buffer.from(writer.finish())
      expect(bytes.readBigInt64LE()).toBe(BigInt(value))
      if (value < 0) return
      const unsigned = new RowBinaryWriter(1)
      unsigned.uint64(value)
      expect(bytes).toEqual(Buffer.from(unsigned.finish()))
    }),
  )
})
