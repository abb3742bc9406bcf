import { expect, test } from 'vitest'
import type { RecordView } from '#schemas/bus/frame.ts'
import { LeaseTally } from './lease-tally.ts'

const record = (fields: object) =>
  ({ leaseNo: 0, projectId: 1, receivedAtMs: Date.UTC(2026, 10, 20), ...fields }) as RecordView

test('an event without a lease counts for its project, but not one without a DSN key', () => {
  const tally = new LeaseTally()
  tally.add(record({ dsnKeyNo: 7 })).accepted += 1
  tally.add(record({ dsnKeyNo: 0, projectId: 2 })).accepted += 1
  expect(tally.counts()).toEqual([
    { leaseNo: 0, projectId: 1, receivedMonth: '2026-11-01', records: 1, accepted: 1 },
  ])
})
