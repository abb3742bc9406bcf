import { expect, test } from 'vitest'
import { FrameWriter } from '#schemas/bus/frame-writer.ts'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { digestRange } from './digest-range.ts'
import type { RangeSettings } from './range.ts'

const projectId = 1 as ProjectId
const receivedAtMs = Date.UTC(2026, 10, 20, 12, 30)

function digest(payload: object, settings: Partial<RangeSettings>) {
  const writer = new FrameWriter(0, { take: () => Buffer.alloc(4096) })
  writer.append({
    kind: 'event',
    projectId,
    dsnKeyNo: 7 as DsnKeyNo,
    receivedAtMs,
    leaseNo: 3,
    recordId: Buffer.alloc(16, 9),
    headerJson: '',
    payload: Buffer.from(JSON.stringify(payload)),
  })
  const bytes = writer.finish({ instanceId: '1'.repeat(32), partition: 0, counter: 0 })
  return digestRange({
    ...{ partition: 0, generation: 1, retentionDays: 90, frames: [{ streamSeq: 1, bytes }] },
    ...settings,
  })
}

const event = {
  message: 'password=hunter2 was wrong',
  release: 'shop@1.2',
  extra: { token: 'abc' },
}

test('no row, title or sum contains a secret', () => {
  const { eventRows, issues } = digest(event, {})
  expect(issues[0]?.title).toBe('password=[Filtered] was wrong')
  const text = Buffer.from(eventRows).toString('latin1')
  expect(text).not.toContain('hunter2')
  expect(text).not.toContain('"abc"')
  expect(text).toContain('removed by scrubbing')
})

test('a filtered event is only counted under its filter, and its quota is returned', () => {
  const settings = { filters: { releases: ['shop@1.*'] } }
  const output = digest(event, { projectSettings: [[projectId, settings]] })
  expect(output).toMatchObject({ eventCount: 0, issues: [], releases: [] })
  expect(output.acceptedRecords).toHaveLength(0)
  expect(output.leases).toMatchObject([{ leaseNo: 3, records: 1, accepted: 0 }])
  expect(Buffer.from(output.outcomeRows).toString('latin1')).toContain('filtered:releases')
})

test("another project's settings do not matter", () => {
  const settings = { filters: { releases: ['shop@1.*'] } }
  expect(digest(event, { projectSettings: [[2 as ProjectId, settings]] }).eventCount).toBe(1)
})

test('with invalid settings, secrets are removed and events are kept', () => {
  const output = digest(event, { projectSettings: [[projectId, { filters: 7 }]] })
  expect(output.issues[0]?.title).toBe('password=[Filtered] was wrong')
})

test('the events of a project are kept for its own retention', () => {
  const rows = (settings: object) =>
    Buffer.from(digest(event, { projectSettings: [[projectId, settings]] }).eventRows)
  expect(rows({ retention_days: 7 }).equals(rows({ retention_days: 7 }))).toBe(true)
  expect(rows({ retention_days: 7 }).equals(rows({}))).toBe(false)
})
