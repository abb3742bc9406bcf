/** Every outcome of a record is counted for the SDK in its header, and subtracted from it. */
import { expect, test } from 'vitest'
import type { RecordHeader } from '#schemas/bus/frame.ts'
import { FrameWriter } from '#schemas/bus/frame-writer.ts'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { KiB } from '#schemas/limits.ts'
import { readOutcomeRows } from '../../test/simulation/parts/row-binary-reader.ts'
import { digestRange } from '../digest/digest-range.ts'
import type { RangeInput } from '../digest/range.ts'

const sdk = 'sentry.javascript.node'
const event = '{"message":"a","sdk":{"name":"of.the.event","version":"1"}}'
const report = JSON.stringify({
  discarded_events: [{ reason: 'before_send', category: 'error', quantity: 3 }],
})
const counts = '[{"outcome":"over_quota","reason":"","category":"error","quantity":5}]'

function digest(
  kind: 'event' | 'session' | 'check_in' | 'client_report' | 'feedback' | 'outcomes',
  payload: string,
  header: RecordHeader,
  settings: Partial<RangeInput> = {},
) {
  const writer = new FrameWriter(0, { take: () => Buffer.alloc(64 * KiB) })
  writer.append({
    kind,
    projectId: 1 as ProjectId,
    dsnKeyNo: 7 as DsnKeyNo,
    receivedAtMs: Date.UTC(2026, 10, 20, 12, 30),
    recordId: Buffer.alloc(16, 1),
    headerJson: JSON.stringify(header),
    payload: Buffer.from(payload),
  })
  const bytes = writer.finish({ instanceId: '0'.repeat(32), partition: 0, counter: 0 })
  const range = { partition: 0, generation: 1, retentionDays: 90, ...settings }
  return digestRange({ ...range, frames: [{ streamSeq: 1, bytes }] })
}

function outcomes(output: ReturnType<typeof digest>): string[] {
  return readOutcomeRows(output.outcomeRows).map(
    (row) => `${row.outcome}:${row.reason} ${row.sdk || 'none'} ${row.quantity}`,
  )
}

const duplicate = { duplicates: Uint32Array.of(0) }
const refused = { setAside: [0] }

// biome-ignore format: the columns are the point
test.each([
  ['an accepted event',      'event',         event,   {},        [`accepted: ${sdk} 1`]],
  ['a duplicate',            'event',         event,   duplicate, [`duplicate: ${sdk} 1`]],
  ['an invalid event',       'event',         '{',     {},        [`rejected:invalid_json ${sdk} 1`]],
  ['a dead letter',          'event',         event,   refused,   [`rejected:undigestible ${sdk} 1`]],
  ['an invalid session',     'session',       '{}',    {},        [`rejected:invalid_session ${sdk} 1`]],
  ['an invalid check-in',    'check_in',      '{}',    {},        [`rejected:invalid_check_in ${sdk} 1`]],
  ['invalid feedback',       'feedback',      '{}',    {},        [`rejected:invalid_feedback ${sdk} 1`]],
  ['a client report',        'client_report', report,  {},        [`client_discard:before_send ${sdk} 3`, `accepted: ${sdk} 1`]],
  ['outcomes of ingest',     'outcomes',      counts,  {},        [`over_quota: ${sdk} 5`]],
] as const)('%s is counted for its SDK', (_name, kind, payload, settings, wanted) => {
  expect(outcomes(digest(kind, payload, { sdk, client: 'other/1' }, settings))).toEqual(wanted)
})

test('records of versions that name no SDK are counted for none', () => {
  expect(outcomes(digest('event', event, { client: 'sentry.python/1' }))).toEqual([
    'accepted: none 1',
  ])
})

test('a check-in carries its SDK to the commit, which may refuse it', () => {
  const { checkIns } = digest('check_in', '{"monitor_slug":"a","status":"ok"}', { sdk })
  expect(checkIns).toMatchObject([{ sdk }])
})

test('a retried dead letter is subtracted from the SDK that it was counted for', () => {
  const [dead] = digest('event', event, { sdk }, refused).deadLetters
  const header: RecordHeader = JSON.parse(dead!.record!.header)
  const retry = { dead_letter: 4, reason: 'undigestible' } as const
  expect(outcomes(digest('event', event, { ...header, retry }))).toEqual([
    `rejected:undigestible ${sdk} -1`,
    `accepted: ${sdk} 1`,
  ])
})
