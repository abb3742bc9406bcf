import { describe, expect, test } from 'vitest'
import type { ProjectId } from '#schemas/ids.ts'
import { eventFrame, type TestEvent } from '../../test/fixtures/workers/event-frame.ts'
import { hashOf } from '../../test/fixtures/workers/range-output.ts'
import { digestRange } from './digest-range.ts'
import { IssueSampler } from './issue-sampler.ts'
import type { RangeFrame, RangeSettings } from './range.ts'

const projectId = 1 as ProjectId
const other = 2 as ProjectId
const nowMs = Date.UTC(2026, 10, 20, 12, 0)
const instanceId = 'a'.repeat(32)

interface Burst {
  readonly count: number
  readonly projectId?: ProjectId
  readonly type?: string
  /** From the first event to the last. */
  readonly spanMs?: number
  readonly fromMs?: number
}

function framesOf(...bursts: readonly Burst[]): RangeFrame[] {
  return bursts.map(({ count, spanMs = 0, fromMs = nowMs, type = 'Boom', ...rest }, index) => {
    const events = Array.from({ length: count }, (_, at): TestEvent => {
      const receivedAtMs = fromMs + Math.floor((spanMs * at) / Math.max(1, count - 1))
      return { projectId, type, name: `${index} ${at}`, receivedAtMs, ...rest }
    })
    const number = { instanceId, partition: 0, counter: index }
    return { streamSeq: index + 1, bytes: eventFrame(number, events) }
  })
}

function digest(frames: readonly RangeFrame[], settings: Partial<RangeSettings> = {}) {
  const issueEventsPerMinute = [[projectId, 60]] as const
  const fixed = { partition: 0, generation: 1, retentionDays: 90, partitionCount: 4 }
  return digestRange({ ...fixed, issueEventsPerMinute, ...settings, frames })
}

/** Rows of the range: events counted but not sampled. */
function rowsOf(output: ReturnType<typeof digest>): number {
  return output.issues.reduce((sum, issue) => sum + issue.eventCount - issue.sampledCount, 0)
}

describe('A sampler', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['below the rate every event is a row       ', { count: 30, spanMs: 120_000 }, 30],
    ['one event of a short range is a row       ', { count: 2 },                    2],
    ['a further event begins a sample           ', { count: 11 },                   2],
    ['a full sample is followed by another      ', { count: 12 },                   3],
    ['half a minute allows eight rows with four partitions', { count: 208, spanMs: 30_000 }, 8 + 20],
    ['a single event is a row                   ', { count: 1 },                    1],
  ] as const)('%s', (_name, burst, rows) => {
    const output = digest(framesOf(burst))
    expect(output.eventCount).toBe(burst.count)
    expect(output.issues[0]?.eventCount).toBe(burst.count)
    expect(rowsOf(output)).toBe(rows)
    expect(output.acceptedRecords).toHaveLength(burst.count)
  })

  test('samples each issue separately, and no other project', () => {
    const output = digest(
      framesOf({ count: 50 }, { count: 50, type: 'Other' }, { count: 50, projectId: other }),
    )
    expect(output.issues.map(({ projectId, sampledCount }) => [projectId, sampledCount])).toEqual([
      [projectId, 50 - 1 - 5],
      [projectId, 50 - 1 - 5],
      [other, 0],
    ])
  })

  test('without a rate stores every event', () => {
    const frames = framesOf({ count: 100 })
    expect(rowsOf(digest(frames, { issueEventsPerMinute: [] }))).toBe(100)
  })

  test('writes the id of every event once into the rows', () => {
    const rows = Buffer.from(digest(framesOf({ count: 95 })).eventRows)
    for (let at = 0; at < 95; at += 1) {
      expect(rows.toString('hex').split(rowBytesOf(hashOf(`0 ${at}`)))).toHaveLength(2)
    }
  })

  test('gives the same bytes when the range is digested again', () => {
    const frames = framesOf({ count: 300, spanMs: 5_000 }, { count: 200, type: 'Other' })
    expect(digest(frames)).toEqual(digest(frames))
  })

  test('represents only events of one hour by a row', () => {
    const fromMs = nowMs + 3_600_000 - 500
    const sampler = new IssueSampler({
      ...{ partition: 0, generation: 1, retentionDays: 90, frames: [] },
      issueEventsPerMinute: [[projectId, 1]],
    })
    const event = (at: number) => {
      const receivedAtMs = fromMs + at * 200
      return { projectId, hash: 'h', eventId: `${at}`, receivedAtMs }
    }
    const row = new Uint8Array(1)
    const places = [0, 1, 2, 3, 4].map((at) => {
      const place = sampler.placeOf(event(at))
      const written = sampler.add(event(at), place === 'sample_row' ? row : undefined)
      return [place, written?.ids]
    })
    expect(places).toEqual([
      ['own_row', undefined],
      ['sample_row', undefined],
      ['in_sample', undefined],
      ['sample_row', ['2']],
      ['in_sample', undefined],
    ])
    expect([...sampler.rest()].map(({ ids }) => ids)).toEqual([['4']])
  })

  test('counts only accepted events', () => {
    const frames = framesOf({ count: 5 })
    const output = digest(frames, { setAside: [1, 2] })
    expect(output).toMatchObject({ eventCount: 3, deadLetters: [{}, {}] })
    expect(output.issues[0]).toMatchObject({ eventCount: 3, sampledCount: 1 })
    expect([...output.acceptedRecords]).toEqual([0, 3, 4])
  })
})

/** The bytes of a UUID in RowBinary: each half reversed. */
function rowBytesOf(hex: string): string {
  const bytes = Buffer.from(hex, 'hex')
  bytes.subarray(0, 8).reverse()
  bytes.subarray(8).reverse()
  return bytes.toString('hex')
}
