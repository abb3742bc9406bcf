import { describe, expect, test } from 'vitest'
import type { RecordKind } from '#schemas/bus/frame.ts'
import { FrameWriter } from '#schemas/bus/frame-writer.ts'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { KiB } from '#schemas/limits.ts'
import { outcomesIn } from '../../test/fixtures/outcomes-in.ts'
import { digestRange } from './digest-range.ts'

const receivedAtMs = Date.UTC(2026, 10, 20, 12, 30)
const report = JSON.stringify({
  discarded_events: [{ reason: 'ratelimit_backoff', category: 'error', quantity: 4 }],
})

interface TestItem {
  readonly kind: RecordKind
  readonly id: number
  readonly payload: string
  readonly header?: object
}

function digest(items: readonly TestItem[], more: { readonly duplicates?: Uint32Array } = {}) {
  const writer = new FrameWriter(0, { take: () => Buffer.alloc(64 * KiB) })
  for (const { kind, id, payload, header } of items) {
    writer.append({
      kind,
      projectId: 1 as ProjectId,
      dsnKeyNo: 7 as DsnKeyNo,
      receivedAtMs,
      recordId: Buffer.from(String(id).padStart(32, '0'), 'hex'),
      headerJson: header === undefined ? '' : JSON.stringify(header),
      payload: Buffer.from(payload),
    })
  }
  const bytes = writer.finish({ instanceId: '0'.repeat(32), partition: 0, counter: 0 })
  const repeated = Uint32Array.from(items.keys())
  const settings = { partition: 0, generation: 1, retentionDays: 90, repeated, ...more }
  return digestRange({ ...settings, frames: [{ streamSeq: 1, bytes }] })
}

describe('a client report', () => {
  const item = { kind: 'client_report', id: 1, payload: report } as const

  test('counts the items that the client dropped, and itself', () => {
    const output = digest([item])
    expect(outcomesIn(output.outcomeRows)).toEqual([
      'client_discard:ratelimit_backoff error 4',
      'accepted internal 1',
    ])
    expect(output.itemIds).toEqual([
      { projectId: 1, recordId: '1'.padStart(32, '0'), receivedAtMs },
    ])
    expect([...output.acceptedRecords]).toEqual([0])
    expect(output.eventCount).toBe(0)
  })

  test('that was digested before counts only as a duplicate', () => {
    const output = digest([item], { duplicates: Uint32Array.of(0) })
    expect(outcomesIn(output.outcomeRows)).toEqual(['duplicate internal 1'])
    expect(output.itemIds).toEqual([])
  })

  test('that occurs twice in a range counts once', () => {
    const output = digest([item, item])
    expect(outcomesIn(output.outcomeRows)).toEqual([
      'client_discard:ratelimit_backoff error 4',
      'accepted internal 1',
      'duplicate internal 1',
    ])
    expect(output.itemIds).toHaveLength(1)
  })

  test('that is not JSON is rejected, and a copy of it is rejected again', () => {
    const broken = { ...item, payload: '{' }
    const output = digest([broken, broken])
    expect(outcomesIn(output.outcomeRows)).toEqual(['rejected:invalid_json internal 2'])
    expect(output.itemIds).toEqual([])
  })
})
