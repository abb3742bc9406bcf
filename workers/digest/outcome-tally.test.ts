import { expect, test } from 'vitest'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { type Plain, written } from '../../test/fixtures/workers/written.ts'
import { RowBinaryWriter } from '../rows/row-binary.ts'
import { type OutcomeKey, OutcomeTally } from './outcome-tally.ts'

const hourMs = 3_600_000

function key(fields: Partial<Plain<OutcomeKey>> = {}): OutcomeKey {
  return written<OutcomeKey>({
    projectId: 1 as ProjectId,
    dsnKeyNo: 7 as DsnKeyNo,
    component: '',
    sdk: '',
    receivedAtMs: 10 * hourMs,
    outcome: 'accepted',
    reason: '',
    category: 'error',
    ...fields,
  })
}

test('items with the same outcome in the same hour are one row', () => {
  const tally = new OutcomeTally()
  tally.add(key(), 1)
  tally.add(key({ receivedAtMs: 11 * hourMs - 1 }), 2)
  expect(tally.size).toBe(1)
})

// biome-ignore format: the columns are the point
test.each([
  ['another hour',      { receivedAtMs: 11 * hourMs }],
  ['another project',   { projectId: 2 as ProjectId }],
  ['another key',       { dsnKeyNo: 8 as DsnKeyNo }],
  ['another component', { component: 'worker' }],
  ['another SDK',       { sdk: 'sentry.python' }],
  ['another outcome',   { outcome: 'rejected' }],
  ['another reason',    { reason: 'invalid_json' }],
  ['another category',  { category: 'session' }],
] as const)('%s is another row', (_name, fields) => {
  const tally = new OutcomeTally()
  tally.add(key(), 1)
  tally.add(key(fields), 1)
  expect(tally.size).toBe(2)
})

test('components, SDKs and reasons cannot be confused with each other', () => {
  const tally = new OutcomeTally()
  tally.add(key({ component: 'a","b', reason: '' }), 1)
  tally.add(key({ component: 'a', reason: 'b' }), 1)
  tally.add(key({ component: 'a', sdk: 'b' }), 1)
  tally.add(key({ sdk: 'ab' }), 1)
  tally.add(key({ component: '1 0 a', reason: 'b' }), 1)
  expect(tally.size).toBe(5)
})

test('the same items give the same bytes', () => {
  const bytes = () => {
    const tally = new OutcomeTally()
    for (const reason of ['x', 'y', 'x']) tally.add(key({ reason }), 1)
    const row = new RowBinaryWriter(64)
    tally.write(row)
    return Buffer.from(row.finish()).toString('hex')
  }
  expect(bytes()).toBe(bytes())
})
